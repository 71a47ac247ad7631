// The tournament: what it waits for, standings and rounds.

import { clock } from './clock.js';
import { counted } from './counted.js';
import { byId, el, keyed, named, setText } from './dom.js';
import { crosstable, legend } from './crosstable.js';
import { table } from './grid.js';

// The meanings of the headings of standings.
const MEANINGS = {
  'Points': '1 for each game won, ½ for each game drawn, and those of a bye',
  'Forfeits': 'Games that the player or an opponent forfeited',
  'Byes': 'Rounds without an opponent',
  'Buchholz': 'First tie-break: the points of all opponents',
  'Sonneborn-Berger': 'Next tie-break: the points of the opponents that the player defeated, and half of the points of those that the player drew with',
};

// The players of a crosstable that is no wider than the standings, and below them.
const MAX_BESIDE = 8;

// The games beside the projector's board that are forfeited next.
const MAX_AWAITED = 3;

/** Who has won by the result of a game: 0 for Black, 1 for White. */
const winnerOf = result => ['1-0', '0-1'].indexOf(result);

/** What is left of a time, in milliseconds of the feed's clock. */
const countdown = until => el('span', { class: 'countdown', 'data-until': until, role: 'timer', 'aria-live': 'off' });

/** The row of a game: the players, and the result with how it came about, or what is left of the time until it is forfeited. */
function game([black, white, result, how = ''], until, decide) {
  const winner = winnerOf(result);
  const player = (name, color) => named('td', { class: winner === color ? 'winner' : null }, name);
  const time = until == null ? '' : countdown(until);
  const note = how || time ? el('span', { class: 'note' }, how, how && time ? ' ' : '', time) : '';
  return el('tr', {}, player(black, 0), player(white, 1), el('td', { class: 'result' }, el('span', {}, result), ' ', note, decide));
}

/** A round under its title, which is drawn again only when it changes. */
function round() {
  const title = el('h3');
  const head = el('thead');
  const body = el('tbody');
  const caption = el('caption', { class: 'hidden-text' });
  const node = el('div', {}, title, el('table', {}, caption, head, body));
  let shown = '';
  const update = ({ commands, sides, ...round }) => {
    const text = JSON.stringify([Boolean(commands), round]);
    if (text === shown) return;
    shown = text;
    const { games, numbers, deadlines = {}, played, planned } = round;
    const isPartly = played > 0 && played < planned;
    setText(title, isPartly ? `${round.title} (${played} of ${counted(planned, 'game')} played)` : round.title);
    setText(caption, round.title);
    head.replaceChildren(el('tr', {}, ...games.head.slice(0, 3).map(heading => el('th', { scope: 'col' }, heading))));
    body.replaceChildren(...games.rows.map((row, index) => game(row, deadlines[index], numbers[index] && commands?.decideButton(numbers[index], row, sides) || '')));
  };
  return { node, update };
}

/** The standings, all of them or what a projector shows: rank, player and points. */
function standings(caption, columns, sides) {
  const meanings = { ...MEANINGS, [sides.join('-')]: `Games played with ${sides[0]}, and with ${sides[1]}` };
  const { node, update } = table(caption, { meanings, who: 'Player', main: columns > 3 ? 'Points' : null });
  return { node, update: ({ head, rows }) => update({ head: head.slice(0, columns), rows: rows.map(row => row.slice(0, columns)) }) };
}

/** Numbers in ascending order as text: 2, 4, 5, 6 are "2 and 4 to 6". */
function listed(numbers) {
  const runs = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.at(-1) === number - 1) last.push(number);
    else runs.push([number]);
  }
  const parts = runs.flatMap(run => run.length > 2 ? [`${run[0]} to ${run.at(-1)}`] : run);
  return parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : `${parts[0]}`;
}

/** The common title of rounds that are not played yet. */
function coming(rounds, stage) {
  const words = stage === 'dropped' ? 'not played' : 'to come';
  const numbers = rounds.map(({ title }) => Number(title.replace('Round ', '')));
  return `${rounds.length > 1 ? 'Rounds' : 'Round'} ${listed(numbers)}, ${words}`;
}

/** Draws the rounds: those that are played, then those that are over, the last one first. */
function drawRounds(rounds) {
  const of = (...stages) => rounds.filter(({ stage }) => stages.includes(stage));
  const later = of('coming', 'dropped');
  for (const [id, shown] of [['current', of('current')], ['over', of('over').reverse()], ['coming', later]]) {
    keyed(byId(id), shown, ({ title }) => title, round);
  }
  byId('coming-part').hidden = later.length === 0;
  setText(byId('coming-title'), later.length ? coming(later, later[0].stage) : '');
}

/** Draws who has won a tournament that is over. */
function drawOutcome(tournament, server) {
  const isOver = tournament?.running === false;
  setText(byId('ranking-name'), isOver ? 'Final standings' : 'Standings');
  const node = byId('outcome');
  // Where nobody connects, no other game begins.
  node.hidden = !isOver || !server.clients;
  const outcome = tournament?.outcome ? `: ${tournament.outcome}` : '';
  setText(node, node.hidden ? '' : `The tournament is over${outcome}. Games that begin now are free ones: they do not count for it.`);
}

/** Draws, for the projector, the games that are forfeited next. */
function drawAwaited(rounds) {
  const all = rounds.flatMap(({ title, games, deadlines = {} }) =>
    Object.entries(deadlines).map(([row, until]) => ({ title, how: games.rows[row][3], until })));
  const next = all.sort((one, other) => one.until - other.until).slice(0, MAX_AWAITED);
  keyed(byId('awaited'), next, item => JSON.stringify(item), ({ title, how, until }) => ({
    node: el('li', {}, `${how} `, countdown(until), el('span', { class: 'faint' }, ` · ${title}`)),
  }));
}

/** Updates what is left of the times until games are forfeited. */
export function tickTournament(store) {
  for (const node of document.querySelectorAll('[data-until]')) {
    setText(node, clock(Math.max(0, node.dataset.until - store.now())));
  }
}

/** Draws the tournament, or the form for a new one. */
export function drawTournament(store, commands) {
  const { tournament, server } = store;
  const may = Boolean(commands) && server.tournaments;
  byId('tournament').hidden = !tournament && !may;
  byId('ranking').hidden = !tournament;
  setText(byId('tournament-title'), tournament?.title ?? 'Tournament');
  drawOutcome(tournament, server);
  byId('schedule-seed').hidden = !commands || !tournament?.seed;
  setText(byId('schedule-seed'), `Seed of the schedule: ${tournament?.seed}`);
  setText(byId('ranking-title'), tournament?.title ?? '');
  keyed(byId('waits'), tournament?.waits ?? [], text => text, text => ({ node: el('li', {}, text) }));
  const whole = tournament ? [tournament.standings] : [];
  keyed(byId('standings'), whole, () => 'standings', () => standings('Standings', Infinity, tournament.sides));
  keyed(byId('ranking-body'), whole, () => 'standings', () => standings('Standings', 3, tournament.sides));
  const cross = tournament?.crosstable ? [{ ...tournament.crosstable, sides: tournament.sides }] : [];
  setText(byId('cross-legend'), tournament ? legend(tournament.sides) : '');
  const place = byId(cross[0]?.rows.length <= MAX_BESIDE ? 'overview' : 'wide-cross');
  if (byId('cross-part').parentElement !== place) place.append(byId('cross-part'));
  byId('cross-part').hidden = cross.length === 0;
  keyed(byId('cross'), cross, () => 'crosstable', crosstable);
  drawRounds((tournament?.rounds ?? []).map(round => ({ ...round, sides: tournament.sides, commands: may ? commands : null })));
  const rulings = tournament?.rulings ?? [];
  byId('rulings-part').hidden = rulings.length === 0;
  keyed(byId('rulings'), rulings.map((text, index) => ({ text, index })), ({ index }) => index, ({ text }) => ({ node: named('li', {}, text) }));
  drawAwaited(tournament?.rounds ?? []);
  const parts = may ? [tournament?.running ? 'running' : 'new'] : [];
  keyed(byId('holding'), parts, part => part, part => {
    const { node, update } = part === 'running' ? commands.running() : commands.newTournament();
    return { node, update: () => update({ value: store.tournament }) };
  });
}
