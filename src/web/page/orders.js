// The organiser's buttons. None of this is built for those who only watch.

import { byId, el, keyed, setAttribute, setText } from './dom.js';
import { Holding, running } from './holding.js';

const TOKEN = 'token';

/** Takes the token out of the address, where it would be seen. */
export function takeToken() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get(TOKEN);
  if (!token) return;
  sessionStorage.setItem(TOKEN, token);
  fragment.delete(TOKEN);
  history.replaceState(null, '', `${location.pathname}${location.search}${fragment.size ? `#${fragment}` : ''}`);
}

const headers = () => {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { authorization: `Bearer ${token}` } : {};
};

/** Whether the visitor is the organiser. */
export async function isOrganiser() {
  try {
    const response = await fetch('/me', { headers: headers() });
    const may = response.ok && (await response.json()).organiser === true;
    // The server draws another token at every start.
    if (response.ok && !may && sessionStorage.getItem(TOKEN)) {
      notice('Your token is not the organiser’s any more: open the link that the server has printed last.');
    }
    return may;
  } catch {
    return false;
  }
}

/** Says something that the organiser must see. */
export function notice(text) {
  const node = el('div', { class: 'notice' }, text);
  const close = el('button', { type: 'button', 'aria-label': 'Dismiss', onclick: () => node.remove() }, '×');
  node.append(close);
  byId('notices').append(node);
  setTimeout(() => node.remove(), 12_000);
}

/** Sends an order. Says whether it was carried out; if not, the page says why. */
async function send(action) {
  try {
    const response = await fetch('/act', {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body: JSON.stringify(action),
    });
    if (response.ok) return true;
    const { error } = await response.json().catch(() => ({}));
    notice(error ?? `The server answered ${response.status}.`);
  } catch {
    notice('The server cannot be reached.');
  }
  return false;
}

/** Asks whether it is meant. */
function confirm(question, yes) {
  const dialog = byId('confirm');
  setText(byId('confirm-text'), question);
  setText(byId('confirm-yes'), yes);
  return new Promise(resolve => {
    const done = () => {
      dialog.removeEventListener('close', done);
      resolve(dialog.returnValue === 'yes');
    };
    dialog.returnValue = '';
    dialog.addEventListener('close', done);
    byId('confirm-yes').onclick = () => dialog.close('yes');
    byId('confirm-no').onclick = () => dialog.close('');
    dialog.showModal();
    byId('confirm-no').focus();
  });
}

// What can be ordered at a table, and when.
const ORDERS = [
  { action: 'start', text: 'Start', main: true, when: ['waiting', 'over'] },
  { action: 'pause', text: 'Pause', main: true, when: ['playing'] },
  { action: 'resume', text: 'Resume', main: true, when: ['paused', 'adjourned'] },
  { action: 'swap', text: 'Swap sides', when: ['waiting', 'over', 'paused'] },
  { action: 'adjourn', text: 'Put away', when: ['playing', 'paused'], yes: 'Put the game away',
    ask: title => `Put away the game at ${title}? It can be brought back later.` },
  { action: 'clear', text: 'Clear', danger: true, when: ['playing', 'paused', 'adjourned', 'over'], yes: 'Give the game up',
    ask: title => `Give up the game at ${title}? It cannot be brought back.` },
];

const button = (text, onclick, kind, name) =>
  el('button', { type: 'button', class: kind, onclick, 'aria-label': name }, text);

export class Orders {
  constructor() {
    this.table = null;
    this.store = null;
    this.tables = [];
    this.form = new Holding(send, () => [...this.store.clients.values()]);
  }

  /** Draws the buttons of the table that is shown large. */
  draw(store, table, seats) {
    this.store = store;
    this.table = table;
    if (!table) return;
    const make = order => {
      const node = button(order.text, () => this.#order(order), order.main ? 'main' : order.danger ? 'danger' : null);
      node.dataset.action = order.action;
      return { node };
    };
    keyed(byId('table-orders'), ORDERS.filter(order => order.when.includes(table.phase)), order => order.action, make);
    seats.forEach((place, seat) => this.#vacate(place, seat));
  }

  async #order({ action, ask, yes }) {
    const { id, title } = this.table;
    if (ask && !await confirm(ask(title), yes)) return;
    await send({ action, table: id });
  }

  /** The button that empties a seat. */
  #vacate(place, seat) {
    const { client, title } = this.table.seats[seat];
    const empty = () => send({ action: 'assign', table: this.table.id, color: this.table.seats[seat].code, client: null });
    const may = client != null && this.table.phase !== 'playing';
    keyed(place, may ? [seat] : [], () => seat, () => ({ node: button('Vacate', empty, 'quiet', `Empty the seat of ${title}`) }));
  }

  /** The buttons in the row of a client. */
  client(place, client) {
    const { table } = this;
    const may = table && client.name != null && table.phase !== 'playing';
    const seats = may ? table.seats.filter(seat => seat.client !== client.id) : [];
    const items = [...seats.map(seat => ({ key: seat.code, seat })), { key: 'disconnect' }];
    keyed(place, items, item => item.key, ({ seat, key }) => {
      if (!seat) return this.#disconnect(client.id);
      const assign = () => send({ action: 'assign', table: this.table.id, color: key, client: client.id });
      const node = button(seat.title, assign, 'quiet');
      const update = item => setAttribute(node, 'aria-label',
        `Seat ${client.name} as ${item.seat.title} at ${this.table.title}`);
      node.dataset.action = 'assign';
      return { node, update };
    });
  }

  #disconnect(id) {
    const name = () => this.store.clients.get(id)?.name ?? 'this client';
    const close = async () => {
      if (await confirm(`Disconnect ${name()}?`, 'Disconnect')) await send({ action: 'disconnect', client: id });
    };
    const node = button('✕', close, 'quiet danger-text');
    node.dataset.action = 'disconnect';
    node.title = 'Disconnect';
    return { node, update: () => setAttribute(node, 'aria-label', `Disconnect ${name()}`) };
  }

  /** The button that brings a game back. */
  adjourned(place, game) {
    const recall = () => send({ action: 'recall', table: this.table.id, game: game.id });
    keyed(place, this.table ? [game] : [], () => 'recall', () => {
      const node = button('', recall, 'quiet');
      node.dataset.action = 'recall';
      return { node, update: () => setText(node, `Bring back to ${this.table.title}`) };
    });
  }

  /** What can be done while a tournament goes on. */
  running() {
    return running(send, confirm);
  }

  /** The form that holds a tournament. */
  holding() {
    return this.form.part();
  }
}
