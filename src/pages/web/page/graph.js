// The graph of the lead, move by move.

import { setAttribute, setText, svg, el } from './dom.js';
import { score } from './boards.js';

const WIDTH = 300;
const HEIGHT = 100;
// The height of the marks at the lower edge.
const MARK = 14;
const MIDDLE = HEIGHT / 2;

const lead = ({ scores }) => scores ? scores[0] - scores[1] : 0;

/**
 * The largest lead that the graph shows. While the board is almost empty, a single stone can
 * own all of it: such leads mean nothing, and go beyond the edge.
 */
function reach(leads) {
  const later = leads.slice(Math.floor(leads.length / 3));
  return Math.max(10, ...later.map(Math.abs));
}

/** Who leads at a ply. */
function describeLead({ seats, plies }, number) {
  const now = lead(plies[number]);
  const { title } = seats[now > 0 ? 0 : 1];
  const [first, second] = plies[number].scores.map(score);
  return now === 0 ? `The score is tied, ${first} to ${second}` : `${title} leads by ${score(Math.abs(now))}`;
}

/** The graph of a game. A click on it shows a ply; `describe(table, number)` is said of it. */
export class Graph {
  #drawn = null;
  #area = svg('path', { class: 'lead first' });
  #other = svg('path', { class: 'lead second' });
  #edge = svg('path', { class: 'lead-edge' });
  #marks = svg('path', { class: 'lead-marks' });
  #describe;
  #here = svg('line', { class: 'here', y1: 0, y2: HEIGHT });
  #caption = el('p', { class: 'faint' });

  constructor(look, describe = describeLead) {
    this.#describe = describe;
    const zero = svg('line', { class: 'zero', x1: 0, x2: WIDTH, y1: MIDDLE, y2: MIDDLE });
    this.picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      this.#area, this.#other, zero, this.#edge, this.#marks, this.#here);
    this.node = el('figure', { class: 'graph' }, this.#caption, this.picture);
    const at = event => {
      if (event.type === 'pointermove' && !event.buttons) return;
      const { left, width } = this.picture.getBoundingClientRect();
      look(Math.round((event.clientX - left) / width * this.last));
    };
    this.picture.addEventListener('pointerdown', at);
    this.picture.addEventListener('pointermove', at);
  }

  /** Draws the graph of a game and marks the ply that is shown. */
  draw(table, number) {
    this.last = table.plies.length - 1;
    this.node.hidden = this.last < 2 || !table.plies[this.last].scores;
    if (this.node.hidden) return;
    if (this.#drawn !== table.plies) this.#curve(table.plies);
    const x = number / this.last * WIDTH;
    setAttribute(this.#here, 'x1', x);
    setAttribute(this.#here, 'x2', x);
    const marks = (table.marks ?? []).map(ply => `M${(ply / this.last * WIDTH).toFixed(2)} ${HEIGHT}v-${MARK}`);
    setAttribute(this.#marks, 'd', marks.join(''));
    setText(this.#caption, this.#describe(table, number));
  }

  #curve(plies) {
    this.#drawn = plies;
    const leads = plies.map(lead);
    const most = reach(leads);
    const y = value => (MIDDLE - Math.max(-1, Math.min(1, value / most)) * MIDDLE).toFixed(2);
    // A step for each ply, centered on it: nothing is interpolated between two plies.
    const steps = of => {
      const ends = leads.map((_, index) => (Math.min(index + 0.5, this.last) / this.last * WIDTH).toFixed(2));
      return leads.map((value, index) => `V${y(of(value))}H${ends[index]}`).join('');
    };
    const area = of => `M0 ${MIDDLE}${steps(of)}V${MIDDLE}Z`;
    setAttribute(this.#area, 'd', area(value => Math.max(0, value)));
    setAttribute(this.#other, 'd', area(value => Math.min(0, value)));
    setAttribute(this.#edge, 'd', `M0 ${y(leads[0])}${steps(value => value)}`);
  }
}
