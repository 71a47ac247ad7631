// The lists of clients, adjourned games and finished games, and the log.

import { byId, el, keyed, named, setText } from './dom.js';
import { dayAndTime, timeOfDay } from './clock.js';
import { socketUrl } from './urls.js';

const MAX_SHOWN = 200;

/** The number of a client, as the log writes it. */
const numberOf = client => client.number ?? `#${client.id}`;

/** The oldest client of each name. The clients of a team, which are told apart by the log, have one name on purpose. */
function oldest(clients) {
  const found = new Map();
  for (const client of clients.filter(({ number }) => number === undefined)) {
    const known = found.get(client.name);
    if (client.name != null && !(known?.id < client.id)) found.set(client.name, client);
  }
  return found;
}

/** The row of a client; `commands` adds buttons for the organizer. */
function person(commands) {
  return () => {
    const name = named('strong', { class: 'name' });
    const where = el('span', { class: 'faint' });
    const seat = el('span', { class: 'chip' });
    const buttons = el('span', { class: 'row-commands' });
    const node = el('li', { class: 'row' }, el('div', { class: 'naming' }, name, where), seat, buttons);
    const update = ({ client, namesake }) => {
      setText(name, client.name ?? 'no name yet');
      name.classList.toggle('faint', client.name == null);
      // A client without a name may be shown by its number already.
      const number = numberOf(client);
      const same = namesake && client.number === undefined && namesake !== client ? `same name as ${numberOf(namesake)}` : '';
      const known = [number === client.name ? '' : number, client.address, client.protocol, same];
      setText(where, known.filter(Boolean).join(' · '));
      setText(seat, client.seat ?? '');
      commands?.client(buttons, client);
    };
    return { node, update };
  };
}

/** Draws the clients: those with a seat first, then by name. */
export function drawPeople(store, commands) {
  byId('people-panel').hidden = !store.server.clients;
  const rank = client => client.seat ? 0 : client.name ? 1 : 2;
  const all = [...store.clients.values()].sort((a, b) =>
    rank(a) - rank(b) || (a.name ?? '').localeCompare(b.name ?? '') || a.id - b.id);
  setText(byId('people-count'), String(all.length));
  const namesakes = oldest(all);
  const shown = all.slice(0, MAX_SHOWN).map(client => ({ client, namesake: namesakes.get(client.name) }));
  // The rows are made anew when the visitor's rights change.
  keyed(byId('people'), shown, ({ client }) => `${client.id} ${Boolean(commands)}`, person(commands));
  // Where the organizer assigns seats, clients connect to the port of the page.
  const isHost = store.ordered().some(({ commands }) => 'assign' in commands);
  const nobody = isHost ? `Nobody yet. Clients connect to ${socketUrl('.')}` : 'Nobody yet.';
  const none = store.isKnown ? nobody : '';
  setText(byId('people-more'), all.length > MAX_SHOWN ? `and ${all.length - MAX_SHOWN} more` : all.length ? '' : none);
}

/** Draws the adjourned games. */
export function drawAdjourned(store, commands) {
  byId('adjourned-panel').hidden = store.adjourned.length === 0;
  const make = () => {
    const title = el('span', { class: 'naming' });
    const buttons = el('span', { class: 'row-commands' });
    const update = game => {
      setText(title, game.title);
      commands?.adjourned(buttons, game);
    };
    return { node: el('li', { class: 'row' }, title, buttons), update };
  };
  keyed(byId('adjourned'), store.adjourned, game => `${game.id} ${Boolean(commands)}`, make);
}

const finishedGame = commands => game => {
  const [first, second] = game.players.map((player, side) => [el('span', { class: 'faint' }, `${game.sides[side]} `), el('bdi', {}, player)]);
  return {
    node: el('li', {},
      el('time', { datetime: new Date(game.began).toISOString() }, dayAndTime(game.began)), ' ',
      el('strong', {}, ...first, ' – ', ...second), ': ',
      ...(game.decided ? [el('span', { class: 'chip' }, 'decided'), ' '] : []),
      el('span', {}, game.result), game.table ? el('span', { class: 'faint' }, ` · ${game.table}`) : '',
      ...(game.record ? [' · ', el('a', { href: `records/${game.record}`, download: true }, 'record')] : []),
      game.free ? commands?.decideButton(game.free, game.players, game.sides, true) ?? '' : '',
      ...(game.exchange ? [el('details', {}, el('summary', {}, 'The last lines of the exchange'), el('pre', {}, game.exchange.join('\n')))] : [])),
  };
};

/** Draws the finished games, the last one to begin first. */
export function drawFinished(store, commands) {
  byId('finished-panel').hidden = store.finished.length === 0;
  setText(byId('finished-count'), String(store.finished.length));
  keyed(byId('finished'), store.finished.toReversed(), game => `${game.number} ${game.result} ${Boolean(commands)}`, finishedGame(commands));
}

/** A line of the log. Text of several lines, such as final standings, is a block. */
function logLine({ time, client, text }) {
  const [first, ...others] = text.split('\n');
  const node = el('li', {}, el('time', { datetime: new Date(time).toISOString() }, timeOfDay(time)), ' ',
    client ? el('bdi', { class: 'whom' }, client) : '', ' ', first,
    others.length ? el('pre', { tabindex: '0' }, others.join('\n')) : '');
  return { node };
}

/** Draws the warnings, which the server sends only to the organizer. */
export function drawWarnings(store) {
  byId('warnings-panel').hidden = store.warnings.length === 0;
  keyed(byId('warnings'), store.warnings, text => text, text => ({ node: el('li', { dir: 'auto' }, text) }));
}

/** Draws the log, the newest line first. */
export function drawLog(store) {
  byId('log-panel').hidden = !store.server.clients;
  setText(byId('log-count'), String(store.log.length));
  keyed(byId('log'), store.log.toReversed(), line => line.number, logLine);
}
