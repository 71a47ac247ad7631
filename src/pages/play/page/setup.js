// Setting up a position by clicks. The server says whether it is legal.

import { byId, setAttribute, setText } from '../page/dom.js';
import { POINTS } from './board.js';
import { ask } from './link.js';

const value = name => document.querySelector(`[name=${name}]:checked`).value;

/** The set-up of a position. */
export class Setup {
  // The stones of a group that has no liberty.
  wrong = new Set();
  #board = '';
  #text = null;
  // When the server has answered about what is set up now.
  #checked = null;
  #store;

  /** `onDone` is called with the text of the position. */
  constructor(store, onDone) {
    this.#store = store;
    byId('setup-clear').onclick = () => this.#change('.'.repeat(25));
    byId('setup-cancel').onclick = () => { this.close(); store.change({}); };
    byId('setup-done').onclick = async () => {
      await this.#checked;
      if (!this.#text || !store.isSetup) return;
      this.close();
      onDone(this.#text);
    };
    for (const input of document.querySelectorAll('[name=turn]')) input.onchange = () => { this.#checked = this.#check(); };
  }

  /** What the board shows. */
  get view() {
    const count = letter => [...this.#board].filter(cell => cell === letter).length;
    return {
      board: this.#board, at: null, turn: value('turn'), legal: {}, illegal: {}, groups: [],
      count: { black: count('B'), white: count('W') },
    };
  }

  open(view) {
    this.#store.set({ isSetup: true });
    document.querySelector(`[name=turn][value=${view.turn ?? 'black'}]`).checked = true;
    this.#change(view.board);
    document.querySelector('[name=tool]:checked').focus();
  }

  close() {
    this.#store.set({ isSetup: false });
    this.wrong = new Set();
  }

  /** A click places a stone, and removes the same stone. */
  click(point) {
    const index = POINTS.indexOf(point);
    const tool = value('tool');
    const cell = this.#board[index] === tool ? '.' : tool;
    this.#change(this.#board.slice(0, index) + cell + this.#board.slice(index + 1));
  }

  #change(board) {
    this.#board = board;
    this.#store.change({});
    this.#checked = this.#check();
  }

  async #check() {
    const [board, turn] = [this.#board, value('turn')];
    const of = letter => POINTS.filter((_, index) => board[index] === letter);
    const said = await ask({ ask: 'set-up', stones: { black: of('B'), white: of('W') }, turn });
    if (board !== this.#board || turn !== value('turn')) return;
    this.#text = said.is === 'legal' ? said.text : null;
    this.wrong = new Set(said.stones);
    const why = said.why ?? '';
    setText(byId('setup-why'), why && `${why[0].toUpperCase()}${why.slice(1)}: no game can have this.`);
    setAttribute(byId('setup-done'), 'aria-disabled', this.#text ? null : 'true');
    this.#store.change({});
  }
}
