// Boards with stones: of Go, on the crossings of lines, and of Gothello, in
// squares. Drawn in units of a twentieth of the distance between two points.

import { setAttribute, svg } from './dom.js';

const STEP = 20;
const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';
const SMALL = 'abcdefghijklmnopqrstuvwxyz';

/** Which lines have star points, for one direction. */
function stars(size) {
  if (size < 7) return [];
  const edge = size < 13 ? 2 : 3;
  const middle = size % 2 === 1 ? [(size - 1) / 2] : [];
  return [edge, ...middle, size - 1 - edge];
}

/** The lines and star points of a Go board. */
function lines(rows, columns) {
  const [width, height] = [(columns - 1) * STEP, (rows - 1) * STEP];
  let path = '';
  for (let row = 0; row < rows; row++) path += `M0 ${row * STEP}h${width}`;
  for (let column = 0; column < columns; column++) path += `M${column * STEP} 0v${height}`;
  const group = svg('g', {}, svg('path', { class: 'lines', d: path }));
  const small = rows < 13 || columns < 13;
  const middle = n => n % 2 === 1 ? (n - 1) / 2 : -1;
  for (const row of stars(rows)) {
    for (const column of stars(columns)) {
      // A small board has no stars at the middle of its sides.
      const inner = (row === middle(rows)) === (column === middle(columns));
      if (small && !inner) continue;
      group.append(svg('circle', { class: 'star', cx: column * STEP, cy: row * STEP, r: 2 }));
    }
  }
  return group;
}

/** The squares of a Gothello board. */
function squares(rows, columns) {
  let path = '';
  for (let row = 0; row <= rows; row++) path += `M-10 ${row * STEP - 10}h${columns * STEP}`;
  for (let column = 0; column <= columns; column++) path += `M${column * STEP - 10} -10v${rows * STEP}`;
  return svg('g', {}, svg('path', { class: 'lines', d: path }));
}

/** How large labels are: the same on the screen, whatever the board's size. */
const labelSize = (rows, columns) => Math.min(7.5, 2.2 + Math.max(rows, columns) * 0.28);

/** Labels at all four sides: `left(row)` and the others say what stands there. */
function labels({ rows, columns }, { left, right, top, bottom }) {
  const size = labelSize(rows, columns);
  const away = 10 + size * 1.05;
  const group = svg('g', { 'font-size': size });
  const label = (x, y, [text, kind]) => group.append(svg('text', { x, y, class: `label ${kind}` }, text));
  for (let row = 0; row < rows; row++) {
    label(-away, row * STEP, left(row));
    label((columns - 1) * STEP + away, row * STEP, right(row));
  }
  for (let column = 0; column < columns; column++) {
    label(column * STEP, -away, top(column));
    label(column * STEP, (rows - 1) * STEP + away, bottom(column));
  }
  return group;
}

/** Go: as in GTP; where the contest protocol is spoken, its row and column at the left and top. */
function goLabels(table) {
  const row = row => [String(table.rows - row), 'letter'];
  const column = column => [LETTERS[column] ?? '', 'letter'];
  const number = index => [String(index), 'number'];
  const { numbered } = table;
  return labels(table, { left: numbered ? number : row, right: row, top: numbered ? number : column, bottom: column });
}

/** Gothello: columns are small letters, rows count from the bottom. */
function gothelloLabels(table) {
  const row = row => [String(table.rows - row), 'letter'];
  const column = column => [SMALL[column] ?? '', 'letter'];
  return labels(table, { left: row, right: row, top: column, bottom: column });
}

/** How GTP writes a point of a Go board. */
export const vertex = ([row, column], rows) => `${LETTERS[column] ?? '?'}${rows - row}`;

/** A board; a small one has no labels, and flat stones. */
export class StoneBoard {
  #cells = [];
  #shown = '';
  #stones = svg('g');
  #last = svg('circle', { class: 'last', r: 4.4 });

  constructor(table, small) {
    const { kind, rows, columns } = table;
    this.columns = columns;
    this.shape = small ? 'flat' : kind === 'go' ? 'stone' : 'disc';
    const go = kind === 'go';
    const edge = small ? 14 : 11 + 2.1 * labelSize(rows, columns);
    const [width, height] = [(columns - 1) * STEP + 2 * edge, (rows - 1) * STEP + 2 * edge];
    this.node = svg('svg', { viewBox: `${-edge} ${-edge} ${width} ${height}`, class: `${kind}-board`, role: 'img' });
    this.node.append(svg('rect', { x: -edge, y: -edge, width, height, class: go ? 'wood' : 'felt' }));
    this.node.append(go ? lines(rows, columns) : squares(rows, columns));
    if (!small) this.node.append(go ? goLabels(table) : gothelloLabels(table));
    if (this.shape === 'disc') setAttribute(this.#last, 'r', 2.6);
    this.node.append(this.#stones, this.#last);
  }

  /** Shows a ply: its board, and the point that was played. */
  draw({ board, at }, territory) {
    const shown = territory ? board : board.replace(/[bw]/g, '.');
    for (let index = 0; index < shown.length; index++) {
      if (shown[index] !== this.#shown[index]) this.#cell(index, shown[index]);
    }
    for (let index = shown.length; index < this.#shown.length; index++) this.#cell(index, '.');
    this.#shown = shown;
    this.#mark(at, at && board[at[0] * this.columns + at[1]]);
  }

  #cell(index, cell) {
    // A stone that was there is captured, and changes its color.
    const isFlipped = 'BW'.includes(cell) && 'BW'.includes(this.#shown[index] ?? '.');
    this.#cells[index]?.remove();
    delete this.#cells[index];
    if (cell === '.') return;
    const stone = cell === 'B' || cell === 'W';
    const shape = stone ? `${this.shape}-${cell}` : `mark-${cell}`;
    const [x, y] = [(index % this.columns) * STEP, Math.floor(index / this.columns) * STEP];
    // The animation of the shape is about its middle. With `x` and `y`, browsers have different origins for that.
    const node = svg('g', { transform: `translate(${x} ${y})` }, svg('use', { href: `#${shape}`, class: isFlipped ? 'flipped' : null }));
    this.#cells[index] = node;
    this.#stones.append(node);
  }

  #mark(at, cell) {
    setAttribute(this.#last, 'visibility', at ? null : 'hidden');
    if (!at) return;
    setAttribute(this.#last, 'cx', at[1] * STEP);
    setAttribute(this.#last, 'cy', at[0] * STEP);
    setAttribute(this.#last, 'class', `last on-${cell === 'B' ? 'black' : 'white'}`);
  }
}
