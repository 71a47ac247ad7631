// The tournament: standings and rounds.

import { byId, el, keyed, setText } from './dom.js';

const isNumber = text => /^[-+]?[\d.,½]+$/.test(text);

/** A grid as a table of the page. */
function table({ head, rows }, caption) {
  const numeric = head.map((_, index) => rows.length > 0 && rows.every(row => !row[index] || isNumber(row[index])));
  const cell = (tag, text, index) => el(tag, { class: numeric[index] ? 'number' : null, scope: tag === 'th' ? 'col' : null }, text);
  return el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': caption },
    el('table', {}, el('caption', { class: 'hidden-text' }, caption),
      el('thead', {}, el('tr', {}, ...head.map((text, index) => cell('th', text, index)))),
      el('tbody', {}, ...rows.map(row => el('tr', {}, ...row.map((text, index) => cell('td', text, index)))))));
}

/** A part that is drawn anew if what it shows is another thing. */
function part(draw) {
  const node = el('div');
  let shown = '';
  return {
    node,
    update: value => {
      const text = JSON.stringify(value);
      if (text === shown) return;
      shown = text;
      node.replaceChildren(...draw(value));
    },
  };
}

/** Draws the tournament; the organiser may hold one if there is none. */
export function drawTournament(store, orders) {
  const { tournament, hall } = store;
  const may = Boolean(orders) && hall.tournaments;
  byId('tournament').hidden = !tournament && !may;
  const running = tournament?.running ?? false;
  const parts = [];
  if (tournament) parts.push({ key: 'standings', value: tournament });
  for (const round of [...(tournament?.rounds ?? [])].reverse()) parts.push({ key: `round ${round.title}`, value: round });
  if (may) parts.push({ key: running ? 'running' : 'new', value: tournament });
  setText(byId('tournament-title'), tournament?.title ?? 'Tournament');
  keyed(byId('tournament-body'), parts, item => item.key, ({ key }) => {
    if (key === 'standings') {
      const { node, update } = part(standings => [table(standings, 'Standings')]);
      return { node, update: item => update(item.value.standings) };
    }
    if (key === 'running') return orders.running();
    if (key === 'new') return orders.holding();
    const { node, update } = part(round => [el('h3', {}, round.title), table(round.games, round.title)]);
    return { node, update: item => update(item.value) };
  });
}
