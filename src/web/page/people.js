// Who is connected, which games are put away, which are over, and the log.

import { byId, el, keyed, named, setText } from './dom.js';
import { dayAndTime, timeOfDay } from './clock.js';

const MOST = 200;

/** A row about somebody who is connected; `orders` may add buttons to it. */
function person(orders) {
  return client => {
    const name = named('strong', { class: 'name' });
    const where = el('span', { class: 'faint' });
    const seat = el('span', { class: 'chip' });
    const buttons = el('span', { class: 'row-orders' });
    const node = el('li', { class: 'row' }, el('div', { class: 'naming' }, name, where), seat, buttons);
    const update = client => {
      setText(name, client.name ?? 'no name yet');
      name.classList.toggle('faint', client.name == null);
      // Whoever has no name may be called by the number already.
      const number = client.number ?? `#${client.id}`;
      const known = [number === client.name ? '' : number, client.address, client.protocol];
      setText(where, known.filter(Boolean).join(' · '));
      setText(seat, client.seat ?? '');
      orders?.client(buttons, client);
    };
    return { node, update };
  };
}

/** Draws who is connected: those with a seat first, then by name. */
export function drawPeople(store, orders) {
  const rank = client => client.seat ? 0 : client.name ? 1 : 2;
  const all = [...store.clients.values()].sort((a, b) =>
    rank(a) - rank(b) || (a.name ?? '').localeCompare(b.name ?? '') || a.id - b.id);
  setText(byId('people-count'), String(all.length));
  const shown = all.slice(0, MOST);
  // The buttons are made once: others are made when the rights change.
  keyed(byId('people'), shown, client => `${client.id} ${Boolean(orders)}`, person(orders));
  // Where clients are given their seats, they connect to the page's own port.
  const isHost = store.ordered().some(({ orders }) => 'assign' in orders);
  const nobody = isHost ? `Nobody yet. Clients connect to ws://${location.host}` : 'Nobody yet.';
  setText(byId('people-more'), all.length > MOST ? `and ${all.length - MOST} more` : all.length ? '' : nobody);
}

/** Draws the games that can be brought back. */
export function drawAdjourned(store, orders) {
  byId('adjourned-panel').hidden = store.adjourned.length === 0;
  const make = () => {
    const title = el('span', { class: 'naming' });
    const buttons = el('span', { class: 'row-orders' });
    const update = game => {
      setText(title, game.title);
      orders?.adjourned(buttons, game);
    };
    return { node: el('li', { class: 'row' }, title, buttons), update };
  };
  keyed(byId('adjourned'), store.adjourned, game => `${game.id} ${Boolean(orders)}`, make);
}

const finishedGame = game => {
  const [first, second] = game.players.map((player, side) => [el('span', { class: 'faint' }, `${game.sides[side]} `), el('bdi', {}, player)]);
  return {
    node: el('li', {},
      el('time', { datetime: new Date(game.began).toISOString() }, dayAndTime(game.began)), ' ',
      el('strong', {}, ...first, ' – ', ...second), ': ',
      el('span', {}, game.result), game.table ? el('span', { class: 'faint' }, ` · ${game.table}`) : ''),
  };
};

/** Draws the games that are over, the last one first. */
export function drawFinished(store) {
  byId('finished-panel').hidden = store.finished.length === 0;
  setText(byId('finished-count'), String(store.finished.length));
  keyed(byId('finished'), store.finished.toReversed(), game => game.number, finishedGame);
}

/** A line of the log; what has several lines is a block, such as final standings. */
function logLine({ time, client, text }) {
  const [first, ...others] = text.split('\n');
  const node = el('li', {}, el('time', { datetime: new Date(time).toISOString() }, timeOfDay(time)), ' ',
    client ? el('bdi', { class: 'whom' }, client) : '', ' ', first,
    others.length ? el('pre', { tabindex: '0' }, others.join('\n')) : '');
  return { node };
}

/** Draws the log, the newest line first. */
export function drawLog(store) {
  setText(byId('log-count'), String(store.log.length));
  keyed(byId('log'), store.log.toReversed(), line => line.number, logLine);
}
