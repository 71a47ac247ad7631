// The report: tables, plots and games from the data of the page.

import { byId, el } from './dom.js';
import { Plot, rangeOf } from './plot.js';
import { Games } from './games.js';

const VERDICTS = [
  ['count', 'count'], ['resignation', 'resignation'], ['adjudicated', 'adjudicated'], ['move_limit', 'move limit'],
  ['time', 'time'], ['illegal_move', 'illegal move'], ['crash', 'crash'], ['hang', 'hang'], ['garbage', 'garbage'],
  ['wrong_id', 'wrong id'], ['refused', 'refused'], ['not_started', 'not started'], ['gone', 'client gone'],
];
const MOST_ROWS = 200;

/** A name, which is cut if it is long. */
const named = name => el('bdi', { title: name }, name);
const percent = share => share == null ? '–' : `${(100 * share).toFixed(1)} %`;
const signed = value => `${value > 0 ? '+' : ''}${value.toFixed(1)}`;
const estimate = (value, error) => value == null ? '–' : error == null ? `${signed(value)} ± –` : `${signed(value)} ± ${error.toFixed(1)}`;
const sum = ({ wins, draws, losses }) => wins + draws + losses;
const pointsOf = ({ wins, draws }) => wins + draws / 2;
const scoreOf = counts => sum(counts) ? pointsOf(counts) / sum(counts) : null;
const counts = results => [percent(scoreOf(results)), sum(results), results.wins, results.draws, results.losses];
const RESULTS = ['Score', 'Games', 'Won', 'Drawn', 'Lost'];

/** A table, whose first columns are names and the others numbers. */
function table(title, names, headings, rows, note) {
  const kind = index => ({ class: index < names ? null : 'number' });
  const cell = (content, index) => el('td', kind(index), content instanceof Node ? content : String(content));
  const shown = rows.slice(0, MOST_ROWS);
  const notes = [rows.length > shown.length && `The first ${shown.length} of ${rows.length}`, note].filter(Boolean);
  return el('section', { class: 'panel' }, el('h2', {}, title),
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title },
      el('table', {},
        el('thead', {}, el('tr', {}, ...headings.map((heading, index) => el('th', { scope: 'col', ...kind(index) }, heading)))),
        el('tbody', {}, ...shown.map(row => el('tr', {}, ...row.map(cell)))))),
    ...notes.map(text => el('p', { class: 'faint' }, text)));
}

/** A section as wide as the page. */
function wide(section) {
  section.classList.add('wide');
  return section;
}

/** Sections side by side; the last one is wide if it has no neighbor. */
function halves(...sections) {
  const found = sections.filter(Boolean);
  if (found.length % 2) wide(found.at(-1));
  return found;
}

function standings({ players }) {
  const rated = players.some(player => player.rating != null);
  const groups = players.some(player => player.group > 0);
  const swiss = players.some(player => player.standing);
  const byes = players.some(player => player.standing?.byes);
  const headings = ['Rank', 'Name', ...(swiss ? ['Points', 'Buchholz', 'S-Berger'] : []), ...(byes ? ['Byes'] : []), ...(rated ? ['Rating'] : []), ...(groups ? ['Group'] : []), ...RESULTS, 's/move'];
  const rows = players.map((player, index) => [
    player.standing?.rank ?? index + 1, named(player.name),
    ...(swiss ? [player.points, player.standing.tie_breaks.buchholz ?? '–', player.standing.tie_breaks.sonneborn_berger] : []),
    ...(byes ? [player.standing.byes] : []),
    ...(rated ? [estimate(player.rating, player.rating_error)] : []),
    ...(groups ? [player.group == null ? '–' : player.group + 1] : []), ...counts(player.games),
    player.seconds_per_move == null ? '–' : player.seconds_per_move.toFixed(3),
  ]);
  return table('Players', 2, headings, rows, rated
    ? 'Ratings in Elo with 95 % intervals; their mean is 0.' : null);
}

function strengths({ pairings }) {
  const tested = pairings.some(pairing => pairing.llr != null);
  const headings = ['Player', 'Opponent', 'Elo', 'nElo', 'LOS', ...(tested ? ['LLR', 'Decision'] : []), ...RESULTS];
  const rows = pairings.map(pairing => [
    ...pairing.players.map(named), estimate(pairing.elo, pairing.elo_error),
    estimate(pairing.nelo, pairing.nelo_error), percent(pairing.los),
    ...(tested ? [pairing.llr == null ? '–' : pairing.llr.toFixed(2), pairing.decision ?? '–'] : []),
    ...counts(pairing.games),
  ]);
  const notes = [];
  if (pairings.length === 1 && pairings[0].by_pairs) {
    notes.push(`Pairs of games with 0, ½, 1, 1½ and 2 points: ${pairings[0].pairs.join(', ')}.`);
  }
  if (pairings.length === 1) notes.push(...pairings[0].notes.map(note => `${note}.`));
  return wide(table('Strength', 2, headings, rows, notes.join(' ') || null));
}

/** The curves of two players who have met. */
function plots({ report, curves }) {
  const elo = new Plot('Elo');
  const tested = report.pairings.some(pairing => pairing.llr != null);
  const llr = tested ? new Plot('Log-likelihood ratio') : null;
  const show = index => {
    const { players: [one, other], points } = curves[index];
    const pairing = report.pairings[index];
    const known = points.filter(point => point.elo != null);
    elo.show(points, {
      range: known.length === 0 ? [-100, 100] : rangeOf(known, point => point.elo - (point.elo_error ?? 0), point => point.elo + (point.elo_error ?? 0), [0]),
      value: point => point.elo,
      error: point => point.elo_error,
      describe: point => `${one} against ${other} after ${point.games} games: ${estimate(point.elo, point.elo_error)}`,
    });
    llr?.show(points, {
      range: rangeOf(points, point => point.llr, point => point.llr, [pairing.llr_lower, pairing.llr_upper].map(bound => bound * 1.12)),
      value: point => point.llr,
      lines: [[pairing.llr_upper, `H1 at ${pairing.llr_upper.toFixed(2)}`], [pairing.llr_lower, `H0 at ${pairing.llr_lower.toFixed(2)}`]],
      describe: point => `after ${point.games} games: ${point.llr?.toFixed(2) ?? '–'} (${report.sprt})`,
    });
  };
  const choice = curves.length > 1 ? el('select', { 'aria-label': 'Players of the plot', onchange: event => show(Number(event.target.value)) },
    ...curves.map(({ players }, index) => el('option', { value: index }, players.join(' – ')))) : null;
  const node = el('section', { class: 'panel wide' }, ...(choice ? [choice] : []),
    el('div', { class: 'plots' }, elo.node, ...(llr ? [llr.node] : [])));
  show(0);
  return node;
}

/** The score of each player against each other; the color says it, too. */
function crosstable({ players, pairings }) {
  const found = new Map();
  for (const { players: [one, other], games } of pairings) {
    found.set(`${one}\n${other}`, games);
    found.set(`${other}\n${one}`, { wins: games.losses, draws: games.draws, losses: games.wins });
  }
  const cell = (one, other) => {
    if (one === other) return el('td', { class: 'same' });
    const games = found.get(`${one.name}\n${other.name}`);
    if (!games) return el('td', {});
    const share = scoreOf(games);
    const strength = Math.round(Math.abs(share - 0.5) * 2 * 70);
    const title = `${one.name} – ${other.name}: ${games.wins} won, ${games.draws} drawn, ${games.losses} lost`;
    return el('td', { class: 'heat', title, style: `--share: ${strength}%; --tone: var(${share >= 0.5 ? '--gain' : '--loss'})` },
      el('b', {}, `${Math.round(100 * share)} %`), el('small', {}, `${pointsOf(games)}/${sum(games)}`));
  };
  return el('section', { class: 'panel wide' }, el('h2', {}, 'Crosstable'),
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Crosstable' },
      el('table', { class: 'cross' },
        el('thead', {}, el('tr', {}, el('td'), ...players.map((player, index) => el('th', { scope: 'col', title: player.name }, String(index + 1))))),
        el('tbody', {}, ...players.map((player, index) => el('tr', {},
          el('th', { scope: 'row' }, `${index + 1} `, named(player.name)), ...players.map(other => cell(player, other))))))),
    el('p', { class: 'faint' }, 'Each row is a player, with the score against the player of the column.'));
}

function byColor({ players, black, sides, first_move: first }) {
  const rows = players.flatMap(player => [
    [named(player.name), sides.black, ...counts(player.black)], [named(player.name), sides.white, ...counts(player.white)],
  ]);
  const note = first && `The first move is worth ${estimate(first.elo, first.elo_error)} Elo; ${percent(first.draw_rate)} of the games between equals are drawn.`;
  const side = sides.black === 'Black' ? 'color' : 'side';
  return table(`By ${side}`, 2, ['Player', side === 'color' ? 'Color' : 'Side', ...RESULTS], [...rows, ['All', sides.black, ...counts(black)]], note);
}

/** The stones that an opening sets up, and its moves. */
function openingOf({ setup, moves }) {
  if (!setup) return moves.join(' ');
  const stones = [['Black', setup.black], ['White', setup.white]].filter(([, points]) => points);
  const parts = stones.map(([color, points]) => `${color} ${points.join(' ')}`);
  return `${[...parts, `${setup.to_move === 'black' ? 'Black' : 'White'} to move`].join(', ')}${moves.length ? `; ${moves.join(' ')}` : ''}`;
}

const byOpening = ({ openings, sides }) => table('By opening', 2, ['Opening', 'Moves', ...RESULTS],
  openings.map(opening => [opening.number, openingOf(opening), ...counts(opening.black)]), `The results of ${sides.black}.`);

function byVerdict({ players }, notice) {
  const found = VERDICTS.filter(([verdict]) => players.some(player => player.lost_by[verdict]));
  const heading = ([, words]) => words[0].toUpperCase() + words.slice(1);
  return table('Lost by', 1, ['Player', ...found.map(heading)],
    players.map(player => [named(player.name), ...found.map(([verdict]) => player.lost_by[verdict] ?? 0)]), notice);
}

function failures({ failures: all }) {
  const words = new Map(VERDICTS);
  const one = ({ id, player, verdict, detail, last_lines: lines }) => {
    const last = [...(lines?.output ?? []), ...(lines?.errors ?? [])];
    const head = el('span', {}, `${id}: `, el('bdi', {}, player), `, ${words.get(verdict) ?? verdict}${detail ? `: ${detail}` : ''}`);
    return el('li', {}, last.length ? el('details', {}, el('summary', {}, head), el('pre', {}, last.join('\n'))) : head);
  };
  return el('section', { class: 'panel' }, el('h2', {}, 'Failures'),
    el('ul', { class: 'failures' }, ...all.slice(-MOST_ROWS).map(one)));
}

function show(data) {
  const { report, notice, curves, replays } = data;
  const title = `${report.game}: ${report.players.map(player => player.name).slice(0, 4).join(', ')}${report.players.length > 4 ? ' …' : ''}`;
  document.title = title;
  byId('title').textContent = title;
  const all = report.scheduled && report.scheduled !== report.games ? ` of ${report.scheduled}` : '';
  const parts = [`${report.games}${all} games`, report.repeated ? `${report.repeated} repeated` : '', `begun ${report.began.replace('T', ' ').replace('Z', ' UTC')}`];
  byId('summary').textContent = parts.filter(Boolean).join(' · ');
  const main = byId('report');
  if (!report.games) {
    main.append(el('p', { class: 'empty' }, 'No game has been played yet.'));
    return;
  }
  const many = report.players.length > 2;
  const sections = [
    ...halves(standings(report), !many && byVerdict(report, notice)), strengths(report), curves.length && plots(data), many && crosstable(report),
    ...halves(byColor(report), report.openings.length && byOpening(report), many && byVerdict(report, notice), report.failures.length && failures(report)),
    replays?.games.length && new Games(replays, Object.values(report.sides), VERDICTS).node,
  ];
  main.append(...sections.filter(Boolean));
}

show(JSON.parse(byId('data').textContent));
