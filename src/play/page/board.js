// The board that people play on: the stones, and a button on each point.

import { el, setAttribute, setText } from '/page/dom.js';
import { StoneBoard } from '/page/goban.js';

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
  #buttons = new Map();
  #marks = new Map();

  constructor(on) {
    setAttribute(this.#stones.node, 'role', null);
    setAttribute(this.#stones.node, 'aria-hidden', 'true');
    const grid = el('div', { class: 'points', role: 'group', 'aria-label': 'Board' });
    for (const point of POINTS) {
      const mark = el('span', { class: 'mark', 'aria-hidden': 'true' });
      const button = el('button', {
        type: 'button', class: 'point', 'data-point': point, tabindex: -1,
        onclick: () => on.place(point),
        onpointerenter: () => on.look(point),
        onpointerleave: () => on.look(null),
        onfocus: event => { this.#rove(event.target); on.look(point); },
        onblur: () => on.look(null),
        onkeydown: event => this.#step(event, point),
      }, mark);
      this.#buttons.set(point, button);
      this.#marks.set(point, mark);
      grid.append(button);
    }
    this.#buttons.get('c3').tabIndex = 0;
    this.node = el('div', { class: 'play-board' }, this.#stones.node, grid);
  }

  /** The button that Tab reaches is the last one that had the focus. */
  #rove(button) {
    for (const other of this.#buttons.values()) other.tabIndex = other === button ? 0 : -1;
  }

  #step(event, point) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const column = LETTERS.indexOf(point[0]) + by[0];
    const row = Number(point[1]) + by[1];
    this.#buttons.get(`${LETTERS[column]}${row}`)?.focus();
  }

  focus() { this.node.querySelector('.point[tabindex="0"]').focus(); }

  /**
   * Draws a position. `marks` has for a point its `text`, `kind` (a class), and `label` for
   * screen readers; `canPlace` is whether a click places a stone of the player to move.
   */
  draw(view, marks, canPlace, highlighted) {
    this.#stones.draw(view);
    POINTS.forEach((point, index) => {
      const cell = view.board[index];
      const mark = marks.get(point);
      const button = this.#buttons.get(point);
      const node = this.#marks.get(point);
      const stone = COLORS[cell];
      const reason = view.illegal[point];
      const state = stone ? `${stone} stone` : reason && canPlace ? `illegal, ${reason}` : 'empty';
      setAttribute(button, 'aria-label', [point, state, mark?.label].filter(Boolean).join(', '));
      setAttribute(button, 'class', [
        'point', stone ? `on-${stone}` : 'free',
        canPlace && !stone && !reason ? `may-${view.turn}` : '',
        canPlace && reason ? 'illegal' : '',
        highlighted.has(point) ? 'highlighted' : '',
      ].filter(Boolean).join(' '));
      setText(node, mark?.text ?? '');
      setAttribute(node, 'class', `mark ${mark?.kind ?? ''}`);
    });
  }
}
