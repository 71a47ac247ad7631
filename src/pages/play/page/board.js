// The board that people play on: the stones, and a button on each point.

import { el, setAttribute, setText } from '../page/dom.js';
import { StoneBoard } from '../page/goban.js';
import { ButtonGrid } from './grid.js';

const SIZE = 5;
const LETTERS = 'abcde';
const SHAPE = { kind: 'gothello', rows: SIZE, columns: SIZE };

/** All points, row by row from the top. */
export const POINTS = Array.from({ length: SIZE * SIZE }, (_, index) =>
  `${LETTERS[index % SIZE]}${SIZE - Math.floor(index / SIZE)}`);

const COLORS = { B: 'black', W: 'white' };

/** A board. `on` has the functions for what people do: `place(point)`, `look(point)`. */
export class PlayBoard {
  #stones = new StoneBoard(SHAPE, false);
  #grid;
  #marks = new Map();
  #notes = new Map();

  constructor(on) {
    setAttribute(this.#stones.node, 'role', null);
    setAttribute(this.#stones.node, 'aria-hidden', 'true');
    this.#grid = new ButtonGrid({ names: POINTS, columns: SIZE, first: 'c3', kind: 'points' }, on);
    for (const point of POINTS) {
      const mark = el('span', { class: 'mark', 'aria-hidden': 'true' });
      this.#marks.set(point, mark);
      const note = el('span', { class: 'note', 'aria-hidden': 'true' });
      this.#notes.set(point, note);
      this.#grid.button(point).append(mark, note);
    }
    this.node = el('div', { class: 'play-board' }, this.#stones.node, this.#grid.node);
  }

  focus() { this.#grid.focus(); }

  /**
   * Draws a position. `marks` has for a point its `text`, `kind` (a class), and `label` for
   * screen readers, and a `note` with a text and a label, too; `canPlace` is whether a click places a stone of
   * the player to move.
   */
  draw(view, marks, canPlace, highlighted) {
    this.#stones.draw(view);
    // The ring of the last stone leaves room for what is written on the stone.
    const last = view.at && POINTS[view.at[0] * SIZE + view.at[1]];
    setAttribute(this.node, 'data-last', marks.has(last) ? 'written' : null);
    POINTS.forEach((point, index) => {
      const cell = view.board[index];
      const mark = marks.get(point);
      const node = this.#marks.get(point);
      const stone = COLORS[cell];
      const reason = view.illegal[point];
      const state = stone ? `${stone} stone` : reason && canPlace ? `illegal, ${reason}` : 'empty';
      this.#grid.describe(point, [point, state, mark?.label, mark?.note?.label], [
        'point', stone ? `on-${stone}` : 'free',
        canPlace && !stone && !reason && `may-${view.turn}`,
        canPlace && reason && 'illegal',
        highlighted.has(point) && 'highlighted',
      ]);
      setText(node, mark?.text ?? '');
      setAttribute(node, 'class', `mark ${mark?.kind ?? ''}`);
      setText(this.#notes.get(point), mark?.note?.text ?? '');
    });
  }
}
