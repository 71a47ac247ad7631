// The tournament: what it waits for, standings and rounds.

import { byId, el, keyed, setText } from './dom.js';
import { crosstable } from './crosstable.js';
import { table } from './grid.js';

// The meanings of the headings of standings.
const MEANINGS = {
  'Points': '1 for each game won, ½ for each game drawn, and those of a bye',
  'Forfeits': 'Games that the player or an opponent forfeited',
  'Byes': 'Rounds without an opponent',
  'Buchholz': 'First tie-break: the points of all opponents',
  'Sonneborn-Berger': 'Next tie-break: the points of the opponents that the player defeated, and half of the points of those that the player drew with',
  'Black-White': 'Games played with Black, and with White',
};

/** A round under its title. */
function round({ title }) {
  const { node, update } = table(title);
  return { node: el('div', {}, el('h3', {}, title), node), update: item => update(item.games) };
}

/** The standings, all of them or what a projector shows: rank, player and points. */
function standings(caption, columns) {
  const { node, update } = table(caption, MEANINGS);
  return { node, update: ({ head, rows }) => update({ head: head.slice(0, columns), rows: rows.map(row => row.slice(0, columns)) }) };
}

/** The common title of rounds that are not played yet. */
function coming(rounds, stage) {
  const words = stage === 'dropped' ? 'not played' : 'to come';
  const [first, last] = [rounds[0].title, rounds.at(-1).title];
  // "Round 4" and "Round 7" are "Rounds 4 to 7".
  return first === last ? `${first}, ${words}` : `${first.replace(/^Round /, 'Rounds ')} to ${last.replace(/^Round /, '')}, ${words}`;
}

/** Draws the rounds: the current ones, then those that are over, the last one first. */
function drawRounds(rounds) {
  const of = (...stages) => rounds.filter(({ stage }) => stages.includes(stage));
  const later = of('coming', 'dropped');
  for (const [id, shown] of [['current', of('current')], ['over', of('over').reverse()], ['coming', later]]) {
    keyed(byId(id), shown, ({ title }) => title, round);
  }
  byId('coming-part').hidden = later.length === 0;
  setText(byId('coming-title'), later.length ? coming(later, later[0].stage) : '');
}

/** Draws the tournament, or the form for a new one. */
export function drawTournament(store, commands) {
  const { tournament, server } = store;
  const may = Boolean(commands) && server.tournaments;
  byId('tournament').hidden = !tournament && !may;
  byId('ranking').hidden = !tournament;
  setText(byId('tournament-title'), tournament?.title ?? 'Tournament');
  setText(byId('ranking-title'), tournament?.title ?? '');
  keyed(byId('waits'), tournament?.waits ?? [], text => text, text => ({ node: el('li', {}, text) }));
  const whole = tournament ? [tournament.standings] : [];
  keyed(byId('standings'), whole, () => 'standings', () => standings('Standings', Infinity));
  keyed(byId('ranking-body'), whole, () => 'standings', () => standings('Standings', 3));
  const cross = tournament?.crosstable ? [tournament.crosstable] : [];
  byId('cross-part').hidden = cross.length === 0;
  keyed(byId('cross'), cross, () => 'crosstable', crosstable);
  drawRounds(tournament?.rounds ?? []);
  const parts = may ? [tournament?.running ? 'running' : 'new'] : [];
  keyed(byId('holding'), parts, part => part, part => {
    const { node, update } = part === 'running' ? commands.running() : commands.newTournament();
    return { node, update: () => update({ value: store.tournament }) };
  });
}
