// The page: receives the feed and draws what has changed.

import { byId, refocus, setAttribute, setText } from './dom.js';
import { phaseOf } from './boards.js';
import { listen } from './keys.js';
import { Follower } from './follow.js';
import { drawLadder } from './ladder.js';
import { keep } from './link.js';
import { notice } from './notices.js';
import { Commands, isOrganizer, protocols, takeToken } from './commands.js';
import { drawAdjourned, drawFinished, drawLog, drawPeople, drawWarnings } from './people.js';
import { Stage, Tables } from './stage.js';
import { Store } from './store.js';
import { nextTheme, showTheme } from './theme.js';
import { drawTournament, tickTournament } from './tournament.js';

takeToken();
showTheme();

const store = new Store();
const fragment = new URLSearchParams(location.hash.slice(1));
// The table that was chosen to be shown large (`null` for none), the ply that is shown (`null` for
// the last one), and whether territory is drawn.
const ui = { table: fragment.has('table') ? Number(fragment.get('table')) : null, ply: null, territory: false };
const follower = new Follower();
// The table that is shown large.
let shown = null;
const stage = new Stage(ui, redraw);
const tables = new Tables(choose);
let commands = null;
let connected = false;
let waiting = false;
// The lists that have to be drawn again, and the state for which they were drawn.
const stale = new Set();
let drawnFor = '';
const phases = new Map();

/** Schedules a redraw with the next frame, at most one at a time. */
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

/**
 * Whether the table is chosen by where games are played. The organizer's commands are for the table
 * that is shown, so it does not change under them; and who looks back at a game reads on.
 */
const isFollowing = () => ui.table === null && ui.ply === null && (commands === null || document.body.classList.contains('show'));

/** The table to be shown large, or null. */
function tableToShow(all) {
  const chosen = store.tables.get(ui.table);
  if (chosen) return follower.show(chosen);
  return isFollowing() ? follower.next(all, performance.now()) : store.tables.get(shown?.id) ?? all[0] ?? null;
}

function draw() {
  const all = store.ordered();
  const table = tableToShow(all);
  shown = table;
  setText(byId('title'), store.server.title);
  setText(document.querySelector('title'), store.server.title);
  stage.draw(table, store.tournament !== null);
  setText(byId('port'), commands && table?.port ? `port ${table.port}` : '');
  tables.draw(all, table?.id);
  byId('empty').hidden = table !== null;
  if (store.isKnown) setText(byId('empty'), 'No tables yet.');
  byId('all-button').hidden = all.length < 2;
  byId('follow-button').hidden = all.length < 2 || (commands !== null && !document.body.classList.contains('show'));
  setAttribute(byId('follow-button'), 'aria-pressed', ui.table === null);
  if (all.length < 2) show('all', false);
  drawHeldUp();
  commands?.draw(store, table, stage.seatCommands());
  drawLists(table);
  announce(all, table);
  tick();
}

/** Shows the organizer, beside the table, what the tournament waits for. */
function drawHeldUp() {
  const { waits } = store.tournament ?? { waits: [] };
  const node = byId('held-up');
  node.hidden = !commands || waits.length === 0;
  const more = waits.length > 1 ? ` (and ${waits.length - 1} more)` : '';
  setText(node, node.hidden ? '' : `The tournament is waiting: ${waits[0]}${more}`);
}

/** Draws the lists that have changed. The list of clients can be long. */
function drawLists(table) {
  // The buttons in the lists depend on the table that is shown, and on the commands of all
  // tables.
  const tables = store.ordered().map(({ id, title, phase, round, commands, seats }) =>
    [id, title, phase, round, commands, seats.map(({ client, name }) => [client, name])]);
  const about = JSON.stringify([table?.id, tables, commands !== null]);
  const all = about !== drawnFor || stale.has('all');
  drawnFor = about;
  const changed = (...parts) => all || parts.some(part => stale.has(part));
  if (changed('client', 'client-gone')) drawPeople(store, commands);
  if (changed('client', 'client-gone', 'tournament', 'entrants')) drawTournament(store, commands);
  if (changed('ladder')) drawLadder(store);
  if (changed('adjourned')) drawAdjourned(store, commands);
  if (changed('finished')) drawFinished(store, commands);
  if (changed('log')) drawLog(store);
  if (changed('warnings')) drawWarnings(store);
  stale.clear();
}

/** Announces changes at other tables to screen readers. */
function announce(all, shown) {
  for (const table of all) {
    const phase = table.phase;
    const before = phases.get(table.id);
    phases.set(table.id, phase);
    if (before && before !== phase && table !== shown) setText(byId('news'), `${table.title}: ${phaseOf(table)}`);
  }
}

function tick() {
  stage.tick(store);
  tables.tick(store);
  tickTournament(store);
  // A game has been over for long enough.
  if (isFollowing() && follower.next(store.ordered(), performance.now())?.id !== shown?.id) redraw();
}

/** Shows a table large. */
function choose(id) {
  if (!store.tables.has(id)) return;
  ui.table = id;
  ui.ply = null;
  show('all', false);
  history.replaceState(null, '', `#table=${id}`);
  draw();
  const { top } = byId('stage').getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) scrollTo({ top: 0 });
}

/** Shows tables where games are played, or stays at the one that is shown. */
function follow(on) {
  if (!on) {
    if (shown) choose(shown.id);
    return;
  }
  Object.assign(ui, { table: null, ply: null });
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  draw();
}

/** Turns a display mode on or off. */
function show(what, on) {
  document.body.classList.toggle(what, on);
  setAttribute(byId(`${what}-button`), 'aria-pressed', on);
  // The element with the focus may be hidden now.
  const { activeElement } = document;
  if (activeElement === document.body || activeElement?.checkVisibility()) return;
  const stage = byId('stage');
  if (stage.checkVisibility() && !document.body.classList.contains('all')) stage.focus({ preventScroll: true });
  else refocus(byId('tables'), 0);
}

function toggle(what) {
  show(what, !document.body.classList.contains(what));
  draw();
}

/** Shows the table that is `by` places further in the list. */
function turn(by) {
  const all = store.ordered();
  const now = Math.max(0, all.findIndex(table => table.id === shown?.id));
  const next = all[(now + by + all.length) % all.length];
  if (next) choose(next.id);
}

byId('follow-button').onclick = () => follow(ui.table !== null);
byId('show-button').onclick = () => toggle('show');
byId('all-button').onclick = () => toggle('all');
byId('theme-button').onclick = nextTheme;
const go = to => () => { stage.go(to); redraw(); };

listen([
  { keys: [{ key: 'ArrowLeft', label: '←' }], text: 'one move back', act: go('back') },
  { keys: [{ key: 'ArrowRight', label: '→' }], text: 'one move forward', act: go('forth') },
  { keys: ['Home'], text: 'to the start of the game', act: go('first') },
  { keys: ['End'], text: 'to the current position', act: go('live') },
  { keys: ['t'], text: 'show territory', act: () => byId('territory-label').hidden || byId('territory').click() },
  { keys: [{ label: '1 … 9', range: [...'123456789'] }], text: 'the table at this place in the list', act: key => { const table = store.ordered()[key - 1]; if (table) choose(table.id); } },
  { keys: ['n', 'p'], text: 'next table, previous table', act: key => turn(key === 'n' ? 1 : -1) },
  { keys: ['w'], text: 'watch a table where a game is played, or stay at this one', act: () => byId('follow-button').hidden || follow(ui.table !== null) },
  { keys: ['a'], text: 'all tables', act: () => byId('all-button').hidden || toggle('all') },
  { keys: ['f'], text: 'only the board, large, for a projector', act: () => toggle('show') },
  { keys: ['d'], text: 'dark, light or system theme', act: nextTheme },
]);

/** Asks the server for the visitor's rights, which may have changed after a restart. */
async function checkRights() {
  const may = store.server.organizer && await isOrganizer();
  if (may === (commands !== null)) return;
  // The visitor is no longer the organizer: reload without the buttons.
  if (!may) location.reload();
  commands = new Commands();
  document.body.classList.add('organizer');
  redraw();
}

let isOutdated = false;

keep(protocols, message => {
  if (isOutdated || message.type === 'alive') return;
  try {
    store.apply(message);
  } catch (error) {
    isOutdated = true;
    notice(error.message);
  }
  if (message.type === 'all') checkRights();
  stale.add(message.type);
  redraw();
}, (isConnected, why) => {
  connected = isConnected;
  if (connected) store.forget();
  setText(byId('status'), connected ? 'live' : why ? `${why} – trying again` : 'connection lost – reconnecting');
  setAttribute(byId('status'), 'data-state', connected ? 'live' : 'lost');
});

addEventListener('resize', redraw);
setInterval(() => connected && tick(), 100);
