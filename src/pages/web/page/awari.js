// The board of Awari: North's pits above, South's below, a store at each end.

import { setAttribute, setText, svg } from './dom.js';

const PITS = 6;
const GAP = 46;
const MOST = 24;

/** Where the seeds of a pit lie: a spiral from the middle, closer if there are many. */
function places(count, radius) {
  const spread = count > 12 ? radius * 0.8 : radius * 0.7;
  const place = n => {
    const angle = n * 2.39996;
    const far = count === 1 ? 0 : spread * Math.sqrt((n + 0.5) / count);
    return [far * Math.cos(angle), far * Math.sin(angle)];
  };
  return Array.from({ length: count }, (_, n) => place(n));
}

/** A hollow with seeds and their number. */
class Hollow {
  #count = -1;
  #seeds = svg('g');
  #number;

  constructor(x, y, width, height, numberY, name) {
    this.radius = Math.min(width, height) / 2;
    this.stretch = height / width;
    this.rim = svg('rect', { x: x - width / 2, y: y - height / 2, width, height, rx: width / 2, class: 'hollow' });
    this.#number = svg('text', { x, y: numberY, class: 'seeds' });
    this.#seeds.setAttribute('transform', `translate(${x} ${y})`);
    this.node = svg('g', {}, this.rim, this.#seeds, this.#number);
    if (name) this.node.append(svg('text', { x, y: name.y, class: 'label letter' }, name.text));
  }

  show(count) {
    if (count === this.#count) return;
    this.#count = count;
    setText(this.#number, String(count));
    const seeds = places(Math.min(count, MOST), this.radius).map(([x, y]) =>
      svg('use', { href: '#seed', x, y: y * this.stretch }));
    this.#seeds.replaceChildren(...seeds);
  }
}

/** The whole board; a small one has no letters. */
export class AwariBoard {
  #pits = [];
  #stores;

  constructor(_table, small) {
    this.node = svg('svg', { viewBox: '-78 -48 386 144', class: 'awari-board', role: 'img' });
    this.node.append(svg('rect', { x: -78, y: -48, width: 386, height: 144, rx: 16, class: 'wood' }));
    for (const row of [0, 1]) {
      for (let column = 0; column < PITS; column++) {
        const letter = row === 0 ? 'fedcba'[column] : 'ABCDEF'[column];
        const name = small ? null : { text: letter, y: row === 0 ? -40 : 88 };
        const pit = new Hollow(column * GAP, row * 48, 40, 40, row === 0 ? -28.5 : 76.5, name);
        this.#pits.push(pit);
        this.node.append(pit.node);
      }
    }
    // The first seat is South's, whose store is at the right.
    this.#stores = [new Hollow(276, 24, 38, 84, 76.5), new Hollow(-46, 24, 38, 84, 76.5)];
    this.node.append(...this.#stores.map(store => store.node));
  }

  /** Shows a ply: the pits, what was captured, and the pit that was played. */
  draw({ board, at, scores }) {
    board.split(',').forEach((count, index) => this.#pits[index]?.show(Number(count)));
    this.#stores.forEach((store, side) => store.show(scores?.[side] ?? 0));
    const played = at ? at[0] * PITS + at[1] : -1;
    this.#pits.forEach((pit, index) => setAttribute(pit.rim, 'class', index === played ? 'hollow played' : 'hollow'));
  }
}
