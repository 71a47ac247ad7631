// The review of a game: the graph of its value, what each move cost, and the players' figures.

import { counted } from '../page/counted.js';
import { byId, el, setText } from '../page/dom.js';
import { Graph } from '../page/graph.js';
import { describe } from './values.js';

const NAMES = { black: 'Black', white: 'White' };
const GLYPHS = { mistake: '?', blunder: '??' };

const share = (part, all) => all === 0 ? '–' : `${Math.round(part / all * 100)} %`;

/** What a step cost, as a sentence; one that sets up a position is null. */
function describeCost(step) {
  if (!step) return 'a position is set up';
  const { lost, judgment, best } = step;
  if (!lost) return lost === 0 ? 'nothing is better' : 'not yet known';
  const cost = `loses ${counted(lost, 'stone')}${judgment === 'blunder' ? ', and the result' : ''}`;
  return best ? `${cost}; best: ${best.join(', ')}` : cost;
}

/** The reviews of the lines of this visit, and the review that is shown. */
export class Reviews {
  #known = new Map();
  #graph;
  #table = null;
  #drawn = null;

  /** `look(ply)` is called for a click on the graph. */
  constructor(look) {
    this.#graph = new Graph(look, ({ values, numbers }, ply) => {
      const value = values[ply];
      return `After move ${numbers[ply]}: ${value === null ? 'not yet known' : describe([value, value])}`;
    });
    byId('graph').append(this.#graph.node);
    this.#graph.node.hidden = true;
  }

  /** What is known of a line; undefined if nothing is. */
  of(line) { return this.#known.get(JSON.stringify(line)); }

  /** Takes over a message about a line. Another search may have known less. */
  update(line, message) {
    const before = this.of(line);
    const values = message.values.map((value, ply) => value ?? before?.values[ply] ?? null);
    if (before?.done) return;
    this.#known.set(JSON.stringify(line), { ...message, values });
  }

  /** The marks of the moves in the list. */
  marks(review, main) {
    const marks = new Map();
    review?.plies.forEach((cost, index) => {
      const text = GLYPHS[cost?.judgment];
      if (text) marks.set(main[index + 1], { text, kind: cost.judgment, label: describeCost(cost) });
    });
    return marks;
  }

  /** Draws the review of the main line at a ply; nothing if it is null. */
  draw(review, main, ply, go) {
    if (!review?.plies.length) {
      this.#graph.node.hidden = true;
      const none = review ? [el('p', { class: 'faint' }, 'There are no moves to review yet: play a game, or open one.')] : [];
      byId('review-report').replaceChildren(...none);
      this.#drawn = null;
      return;
    }
    if (this.#drawn !== review) {
      this.#drawn = review;
      this.#table = {
        plies: review.values.map(value => ({ scores: [value ?? 0, 0] })),
        values: review.values,
        // A position that is set up has no number of its own.
        numbers: main.map(node => node.number),
        marks: review.plies.flatMap((cost, index) => cost?.lost ? [index + 1] : []),
        seats: [{ title: 'Black' }, { title: 'White' }],
      };
      this.#report(review, main, go);
    }
    this.#graph.draw(this.#table, ply);
    const cost = review.plies[ply - 1];
    setText(byId('cost'), ply ? `${cost ? `Move ${main[ply].number}: ` : ''}${describeCost(cost)}` : '');
  }

  #report({ players, done }, main, go) {
    const row = (text, cell) => el('tr', {}, el('th', { scope: 'row' }, text),
      ...['black', 'white'].map(color => el('td', { class: 'number' }, cell(players[color]))));
    const link = ply => {
      if (ply === null) return '–';
      const { number } = main[ply];
      return el('button', { type: 'button', class: 'move', 'aria-label': `move ${number}`, onclick: () => go(ply) }, String(number));
    };
    const head = el('tr', {}, el('td'), ...['black', 'white'].map(color => el('th', { scope: 'col', class: 'number' }, NAMES[color])));
    const table = el('table', {}, el('caption', { class: 'hidden-text' }, 'How the players played'), el('thead', {}, head), el('tbody', {},
      row('Perfect moves', player => share(player.perfect, player.moves)),
      row('Moves that kept the result', player => share(player.kept_result, player.moves)),
      row('Stones given away', player => String(player.lost)),
      row('First move that lost stones', player => link(player.first_mistake)),
      row('First move that lost the result', player => link(player.first_blunder))));
    const known = done ? '' : el('p', { class: 'faint' }, 'Thinking … the figures count the moves that are proven so far.');
    byId('review-report').replaceChildren(el('p', { id: 'cost', class: 'cost', role: 'status' }), table, known);
  }
}
