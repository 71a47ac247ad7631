// Plots of curves over the number of games.

import { el, setText, svg } from './dom.js';

// In rem.
const MARGIN = { left: 3.4, right: 0.9, top: 0.8, bottom: 1.9 };

/** Round numbers between two, about `count` of them. */
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(factor => power * factor >= rough);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Runs of points that have values: a curve has gaps where there is none. */
function runs(points, has) {
  const all = [[]];
  for (const point of points) {
    if (has(point)) all.at(-1).push(point);
    else if (all.at(-1).length) all.push([]);
  }
  return all.filter(run => run.length);
}

/**
 * A plot. `range` are the lowest and the highest value; `value(point)`, and if there is a band
 * `error(point)`, are numbers or null. `lines` are values with texts. `describe(point)` is said of
 * the point under the pointer, and of the last one else.
 */
export class Plot {
  #points = [];
  #options = {};
  #scale = null;
  #readout = el('p', { class: 'readout', 'aria-live': 'off' });
  #picture = svg('svg', { role: 'img' });
  #cursor = svg('line', { class: 'cursor', visibility: 'hidden' });

  constructor(title) {
    this.title = title;
    this.node = el('figure', { class: 'plot' },
      el('figcaption', {}, el('h2', {}, title), this.#readout), this.#picture);
    new ResizeObserver(() => this.#draw()).observe(this.node);
    const leave = () => this.#tell(null);
    this.#picture.addEventListener('pointermove', event => this.#tell(event));
    this.#picture.addEventListener('pointerdown', event => this.#tell(event));
    this.#picture.addEventListener('pointerleave', leave);
  }

  show(points, options) {
    this.#points = points;
    this.#options = options;
    this.#draw();
    this.#tell(null);
  }

  #tell(event) {
    let point = this.#points.at(-1);
    if (event && this.#scale && point) {
      const { left } = this.#picture.getBoundingClientRect();
      const games = this.#scale.games(event.clientX - left);
      const far = each => Math.abs(each.games - games);
      point = this.#points.reduce((best, each) => far(each) < far(best) ? each : best);
      const x = this.#scale.x(point.games);
      for (const name of ['x1', 'x2']) this.#cursor.setAttribute(name, x);
    }
    this.#cursor.setAttribute('visibility', event ? 'visible' : 'hidden');
    setText(this.#readout, point ? this.#options.describe(point) : '');
  }

  #draw() {
    const width = this.node.clientWidth;
    const points = this.#points;
    if (!width || !points.length) return;
    const height = Math.round(Math.min(Math.max(width * 0.42, 190), 0.45 * window.innerHeight + 100));
    const { range: [low, high], value, error, lines } = this.#options;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const [left, right, top, bottom] = [MARGIN.left, width / rem - MARGIN.right, MARGIN.top, height / rem - MARGIN.bottom].map(place => place * rem);
    const inner = { width: right - left, height: bottom - top };
    const last = points.at(-1).games;
    const x = games => left + games / last * inner.width;
    const y = number => {
      const inside = Math.min(high, Math.max(low, number));
      return top + (high - inside) / (high - low) * inner.height;
    };
    this.#scale = { x, games: place => (place - left) / inner.width * last };
    const picture = this.#picture;
    picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    picture.setAttribute('width', width);
    picture.setAttribute('height', height);
    picture.setAttribute('aria-label', `${this.title} after each game. ${this.#options.describe(points.at(-1))}`);
    picture.replaceChildren();
    const line = (kind, x1, y1, x2, y2) => picture.append(svg('line', { class: kind, x1, y1, x2, y2 }));
    const text = (kind, x, y, words) => picture.append(svg('text', { class: kind, x, y }, words));
    for (const number of ticks(low, high, height / (2.8 * rem))) {
      line(number === 0 ? 'axis' : 'grid', left, y(number), right, y(number));
      text('tick left', left - 0.5 * rem, y(number), String(number));
    }
    for (const games of ticks(0, last, width / (6.9 * rem)).filter(Number.isInteger)) {
      text('tick below', x(games), bottom + 1.15 * rem, String(games));
    }
    const at = (point, number) => `${x(point.games).toFixed(1)} ${y(number).toFixed(1)}`;
    if (error) {
      for (const run of runs(points, point => value(point) != null && error(point) != null)) {
        const upper = run.map(point => at(point, value(point) + error(point)));
        const lower = run.map(point => at(point, value(point) - error(point))).reverse();
        picture.append(svg('path', { class: 'band', d: `M${[...upper, ...lower].join('L')}Z` }));
      }
    }
    for (const [number, words] of lines ?? []) {
      line('bound', left, y(number), right, y(number));
      text('bound-text', left + 0.4 * rem, y(number) - 0.4 * rem, words);
    }
    for (const run of runs(points, point => value(point) != null)) {
      picture.append(svg('path', { class: 'curve', d: `M${run.map(point => at(point, value(point))).join('L')}` }));
    }
    this.#cursor.setAttribute('y1', top);
    this.#cursor.setAttribute('y2', bottom);
    picture.append(this.#cursor);
  }
}

/** The lowest and the highest value that a plot shows: those of the later points, and `always`. */
export function rangeOf(points, low, high, always) {
  const later = points.slice(Math.floor(points.length / 5));
  const values = [...later.flatMap(point => [low(point), high(point)]).filter(number => number != null), ...always];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max((most - least) * 0.06, 1e-6);
  return [least - margin, most + margin];
}
