// The page: hears the feed, and draws what has changed.

import { byId, refocus, setAttribute, setText } from './dom.js';
import { phaseOf } from './boards.js';
import { listen } from './keys.js';
import { keep } from './link.js';
import { notice } from './notices.js';
import { isOrganiser, Orders, takeToken } from './orders.js';
import { drawAdjourned, drawFinished, drawLog, drawPeople } from './people.js';
import { Stage, Tables } from './stage.js';
import { Store } from './store.js';
import { nextTheme, showTheme } from './theme.js';
import { drawTournament } from './tournament.js';

takeToken();
showTheme();

const store = new Store();
const fragment = new URLSearchParams(location.hash.slice(1));
// The table that is shown large, the ply that is looked at (`null`: the last
// one), and whether territory is drawn.
const ui = { table: Number(fragment.get('table')) || null, ply: null, territory: false };
const stage = new Stage(ui, redraw);
const tables = new Tables(choose);
let orders = null;
let connected = false;
let waiting = false;
// Which lists show what is no longer so, and what they were drawn for.
const stale = new Set();
let drawnFor = '';
const phases = new Map();

/** Draws everything with the next frame, once however much has changed. */
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

function draw() {
  const all = store.ordered();
  const table = store.tables.get(ui.table) ?? all[0] ?? null;
  setText(byId('title'), store.hall.title);
  setText(document.querySelector('title'), store.hall.title);
  stage.draw(table);
  tables.draw(all, table?.id);
  byId('empty').hidden = table !== null;
  byId('all-button').hidden = all.length < 2;
  if (all.length < 2) show('all', false);
  drawHeldUp();
  orders?.draw(store, table, stage.seatOrders());
  drawLists(table);
  tell(all, table);
  tick();
}

/** Says to the organiser, beside the table, what the tournament waits for. */
function drawHeldUp() {
  const { waits } = store.tournament ?? { waits: [] };
  const node = byId('held-up');
  node.hidden = !orders || waits.length === 0;
  const more = waits.length > 1 ? ` (and ${waits.length - 1} more)` : '';
  setText(node, node.hidden ? '' : `The tournament waits: ${waits[0]}${more}`);
}

/** Draws the lists that have changed: those of people can be long. */
function drawLists(table) {
  // The buttons in the lists are about the table that is shown, and what can be
  // ordered at any.
  const tables = store.ordered().map(({ id, title, phase, round, orders, seats }) =>
    [id, title, phase, round, orders, seats.map(({ client, name }) => [client, name])]);
  const about = JSON.stringify([table?.id, tables, orders !== null]);
  const all = about !== drawnFor || stale.has('all');
  drawnFor = about;
  const changed = (...parts) => all || parts.some(part => stale.has(part));
  if (changed('client', 'client-gone')) drawPeople(store, orders);
  if (changed('client', 'client-gone', 'tournament')) drawTournament(store, orders);
  if (changed('adjourned')) drawAdjourned(store, orders);
  if (changed('finished')) drawFinished(store);
  if (changed('log')) drawLog(store);
  stale.clear();
}

/** Tells those who cannot see it how games at other tables went on. */
function tell(all, shown) {
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

/** Turns a way to show things on or off. */
function show(what, on) {
  document.body.classList.toggle(what, on);
  setAttribute(byId(`${what}-button`), 'aria-pressed', on);
  // What had the focus may be hidden now.
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

/** The table that is so many places further on. */
function turn(by) {
  const all = store.ordered();
  const now = Math.max(0, all.findIndex(table => table.id === ui.table));
  const next = all[(now + by + all.length) % all.length];
  if (next) choose(next.id);
}

byId('show-button').onclick = () => toggle('show');
byId('all-button').onclick = () => toggle('all');
byId('theme-button').onclick = nextTheme;
const go = to => () => { stage.go(to); redraw(); };

listen([
  { keys: [{ key: 'ArrowLeft', label: '←' }], text: 'one move back', act: go('back') },
  { keys: [{ key: 'ArrowRight', label: '→' }], text: 'one move forth', act: go('forth') },
  { keys: ['Home'], text: 'to the start of the game', act: go('first') },
  { keys: ['End'], text: 'the game as it is now', act: go('live') },
  { keys: ['t'], text: 'territory', act: () => byId('territory-label').hidden || byId('territory').click() },
  { keys: [{ label: '1 … 9', range: [...'123456789'] }], text: 'the table with this place in the list', act: key => { const table = store.ordered()[key - 1]; if (table) choose(table.id); } },
  { keys: ['n', 'p'], text: 'the next table, the table before', act: key => turn(key === 'n' ? 1 : -1) },
  { keys: ['a'], text: 'all tables', act: () => byId('all-button').hidden || toggle('all') },
  { keys: ['f'], text: 'the board alone, large, for a projector', act: () => toggle('show') },
  { keys: ['d'], text: 'dark, light, or as the system has it', act: nextTheme },
  { keys: ['?'], text: 'these keys', act: () => byId('help').showModal() },
]);

/** Looks what the visitor may do, which may have changed with the server. */
async function look() {
  const may = store.hall.organiser && await isOrganiser();
  if (may === (orders !== null)) return;
  // The server knows the visitor no longer: all buttons go.
  if (!may) location.reload();
  orders = new Orders();
  document.body.classList.add('organiser');
  redraw();
}

let isOld = false;

keep(message => {
  if (isOld || message.type === 'alive') return;
  try {
    store.apply(message);
  } catch (error) {
    isOld = true;
    notice(error.message);
  }
  if (message.type === 'all') look();
  stale.add(message.type);
  redraw();
}, isConnected => {
  connected = isConnected;
  if (connected) store.forget();
  setText(byId('status'), connected ? 'live' : 'connection lost – trying again');
  setAttribute(byId('status'), 'data-state', connected ? 'live' : 'lost');
});

addEventListener('resize', redraw);
setInterval(() => connected && tick(), 100);
