// The board of Awari that people play on: the pits, and a button on each.

import { AwariBoard } from '../page/awari.js';
import { counted } from '../page/counted.js';
import { el, setAttribute } from '../page/dom.js';
import { ButtonGrid } from './grid.js';

const COLUMNS = 6;

/** All pits as the board is drawn: North's above South's. */
const PITS = [...'fedcba', ...'ABCDEF'];

const isNorths = pit => pit === pit.toLowerCase();

// In milliseconds: the longest time between two stones of a move, the longest time for all of them, and the pause
// before a capture.
const STONE_TIME = 160;
const SOWING_TIME = 1_600;
const CAPTURE_TIME = 600;

const lessMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** The boards of a move: without the stones of its pit, after each stone, and after the capture. */
function framesOf(before, { board, at, move, sown, count }) {
  const pits = before.board.split(',').map(Number);
  const scores = [before.count.black, before.count.white];
  pits[at[0] * COLUMNS + at[1]] = 0;
  const frames = [{ board: pits.join(), at, scores, marked: [] }];
  for (const pit of sown) {
    pits[PITS.indexOf(pit)] += 1;
    frames.push({ board: pits.join(), at, scores, marked: [pit] });
  }
  const captured = before.legal[move] ?? [];
  if (captured.length) frames.push({ board: pits.join(), at, scores, marked: captured });
  frames.push({ board, at, scores: [count.black, count.white], marked: [] });
  return frames;
}

/** A board. `on` has the functions for what people do: `place(pit)`, `look(pit)`. */
export class PitBoard {
  #pits = new AwariBoard(null, false);
  #grid;
  // The position that is shown, what remains of its move, and when that goes on.
  #shown = null;
  #frames = [];
  #timer;

  constructor(on) {
    setAttribute(this.#pits.node, 'role', null);
    setAttribute(this.#pits.node, 'aria-hidden', 'true');
    this.#grid = new ButtonGrid({ names: PITS, columns: COLUMNS, first: 'A', kind: 'pits' }, on);
    this.node = el('div', { class: 'play-board' }, this.#pits.node, this.#grid.node);
  }

  focus() { this.#grid.focus(); }

  /** Shows the position of a view: stone by stone if it follows from the one that was shown. */
  #show(view, before) {
    if (view === this.#shown) return;
    const isNext = before !== undefined && before === this.#shown;
    this.#shown = view;
    clearTimeout(this.#timer);
    const last = { board: view.board, at: view.at, scores: [view.count.black, view.count.white], marked: [] };
    this.#frames = isNext && !lessMotion.matches && !document.hidden ? framesOf(before, view) : [last];
    this.#step(Math.min(STONE_TIME, SOWING_TIME / view.sown.length));
  }

  /** Draws the next board of a move. */
  #step(time) {
    const frame = this.#frames.shift();
    this.#pits.draw(frame);
    for (const pit of PITS) setAttribute(this.#grid.button(pit), 'data-sown', frame.marked.includes(pit) ? 'true' : null);
    if (this.#frames.length === 0) return;
    this.#timer = setTimeout(() => this.#step(time), this.#frames.length === 1 && frame.marked.length ? CAPTURE_TIME : time);
  }

  /** Draws a position, as the other board does; pits have no marks. `before` is the position before its move. */
  draw(view, _marks, canPlace, highlighted, before) {
    this.#show(view, before);
    const counts = view.board.split(',').map(Number);
    PITS.forEach((pit, index) => {
      const owner = isNorths(pit) ? 'North' : 'South';
      const isOwn = view.turn === (isNorths(pit) ? 'white' : 'black');
      const count = counts[index];
      const isLegal = canPlace && view.legal[pit] !== undefined;
      // That a pit is empty or another's is plain to see.
      const reason = canPlace && isOwn && count > 0 ? view.illegal[pit] : undefined;
      const label = [`${owner} ${pit}`, counted(count, 'stone'), reason && `illegal, ${reason}`];
      this.#grid.describe(pit, label, [
        'pit', isNorths(pit) ? 'north' : 'south', isLegal && `may-${view.turn}`,
        reason && 'illegal', highlighted.has(pit) && 'highlighted',
      ]);
    });
  }
}
