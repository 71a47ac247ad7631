// The board of Awari that people play on: the pits, and a button on each.

import { AwariBoard } from '../page/awari.js';
import { counted } from '../page/counted.js';
import { el, setAttribute } from '../page/dom.js';
import { ButtonGrid } from './grid.js';

const COLUMNS = 6;

/** All pits as the board is drawn: North's above South's. */
const PITS = [...'fedcba', ...'ABCDEF'];

const isNorths = pit => pit === pit.toLowerCase();

/** A board. `on` has the functions for what people do: `place(pit)`, `look(pit)`. */
export class PitBoard {
  #pits = new AwariBoard(null, false);
  #grid;

  constructor(on) {
    setAttribute(this.#pits.node, 'role', null);
    setAttribute(this.#pits.node, 'aria-hidden', 'true');
    this.#grid = new ButtonGrid({ names: PITS, columns: COLUMNS, first: 'A', kind: 'pits' }, on);
    this.node = el('div', { class: 'play-board' }, this.#pits.node, this.#grid.node);
  }

  focus() { this.#grid.focus(); }

  /** Draws a position, as the other board does; pits have no marks. */
  draw(view, _marks, canPlace, highlighted) {
    this.#pits.draw({ board: view.board, at: view.at, scores: [view.count.black, view.count.white] });
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
