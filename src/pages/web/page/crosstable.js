// The crosstable of a tournament: who played whom, and how it ended.

import { el, named } from './dom.js';

// How a game ended for the player of a row, as it is shown and as it is read out.
const RESULTS = {
  '1': ['1', 'won'],
  '=': ['½', 'drawn'],
  '0': ['0', 'lost'],
  '+': ['+', 'won by forfeit'],
  '-': ['−', 'lost by forfeit'],
  '.': ['·', 'not yet over'],
};
const COLORS = { b: 0, w: 1 };

/** What the cells mean. The sides are letters: in a dark theme a filled disc looks white. */
export function legend(sides) {
  const letters = sides.map(side => `${side[0]} with ${side}`).join(', ');
  const results = ['1', '=', '0', '+', '-'].map(mark => RESULTS[mark].join(' ')).join(', ');
  return `${letters} · ${results} · a dot: not yet over`;
}

/** Text for the eyes, and another one for screen readers. */
const both = (seen, read) => [el('span', { 'aria-hidden': 'true' }, ...[seen].flat()), el('span', { class: 'hidden-text' }, read)];

/** The content of a cell. */
function content(cell, swiss, names, sides) {
  if (cell === '' || cell === 'bye' || cell === 'absent') return [cell];
  if (cell === 'x') return both('×', 'no game');
  const [line, games] = cell.split(':');
  const all = games.match(/../g).map(([color, mark]) => [sides[COLORS[color]], RESULTS[mark]]);
  const seen = all.flatMap(([[letter], [result]], index) => [index ? ' ' : '', el('span', { class: 'faint' }, letter), result]);
  const read = all.map(([side, [, result]]) => `${result} with ${side}`).join(', ');
  return both(swiss ? [`${line}: `, ...seen] : seen, swiss ? `${read} against ${names[line - 1]}` : read);
}

/** The crosstable as an HTML table, whose rows are drawn again only when they change. */
export function crosstable({ sides }) {
  const head = el('thead');
  const body = el('tbody');
  const node = el('table', { class: 'cross' }, el('caption', { class: 'hidden-text' }, 'Crosstable'), head, body);
  let shown = '';
  const update = ({ swiss, head: sums, rows }) => {
    const text = JSON.stringify([swiss, sums, rows]);
    if (text === shown) return;
    shown = text;
    const names = rows.map(({ player }) => player);
    const column = (_, index) => swiss
      ? el('th', { scope: 'col', title: `Round ${index + 1}` }, ...both(`${index + 1}`, `Round ${index + 1}`))
      : el('th', { scope: 'col', title: names[index] }, ...both(`${index + 1}`, names[index]));
    head.replaceChildren(el('tr', {},
      el('th', { scope: 'col', class: 'number' }, ...both('', 'Line')),
      el('th', { scope: 'col', class: 'who-cell' }, 'Player'),
      ...sums.map(title => el('th', { scope: 'col', class: 'number' }, title)),
      ...(rows[0]?.cells ?? []).map(column)));
    body.replaceChildren(...rows.map(({ player, cells, sums: values }, index) => el('tr', {},
      el('td', { class: 'number' }, `${index + 1}`),
      named('th', { class: 'who-cell', scope: 'row' }, player),
      ...values.map(value => el('td', { class: 'number' }, value)),
      ...cells.map(cell => el('td', { class: 'games' }, ...content(cell, swiss, names, sides))))));
  };
  return { node, update };
}
