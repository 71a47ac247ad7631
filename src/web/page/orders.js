// The organiser's buttons. None of this is built for those who only watch.

import { allow, button, orderButton } from './buttons.js';
import { bdi, byId, isolated, keyed, setAttribute, setText } from './dom.js';
import { Holding, running } from './holding.js';
import { confirm, notice } from './notices.js';

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
      notice('This link is no longer valid: open the one that the server has printed last.');
    }
    return may;
  } catch {
    return false;
  }
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

// How a game is called in questions.
const gameAt = ({ title, seats: [one, other] }) =>
  ['the game of ', bdi(one.name ?? 'nobody'), ' and ', bdi(other.name ?? 'nobody'), ` at ${title}`];

// What is ordered with the first button, which of these the server would carry out.
const MAIN = ['pause', 'resume', 'start'];

// What else can be ordered at a table. `ask` is the question before it.
const OTHERS = ['swap', 'adjourn', 'clear'];

const ORDERS = {
  start: { text: 'Start' },
  pause: { text: 'Pause' },
  resume: { text: 'Resume' },
  swap: { text: 'Swap sides' },
  adjourn: {
    text: 'Put away', yes: 'Put the game away',
    ask: (table, isHeld) => ['Put away ', ...gameAt(table), '? It can be brought back later.',
      isHeld ? ` It is a game of round ${table.round} of the tournament: until it is brought back and played, its players get no other game, and the rounds that depend on it wait.` : ''],
  },
  clear: {
    text: 'Clear', kind: 'danger', yes: 'Give the game up',
    ask: (table, isHeld) => table.phase === 'over' ? null : ['Give up ', ...gameAt(table), '? It cannot be brought back.',
      isHeld ? ' The tournament starts it anew.' : ''],
  },
};

/** What a table is called in short. */
const shortTitle = ({ title }) => title.split(',')[0];

export class Orders {
  #isBusy = false;

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
    const can = table.orders;
    const known = MAIN.filter(action => action in can);
    const main = known.find(action => !can[action]) ?? known.at(-1);
    const items = [main && { key: 'main', action: main }, ...OTHERS.filter(action => action in can).map(action => ({ key: action, action }))];
    keyed(byId('table-orders'), items.filter(Boolean), item => item.key, item => this.#button(item));
    seats.forEach((place, seat) => this.#vacate(place, seat));
  }

  /** A button of the table. The first one stays the same whatever it orders. */
  #button({ key, action }) {
    let now = action;
    const node = orderButton('', () => this.#order(now), key === 'main' ? 'main' : ORDERS[action].kind);
    const update = item => {
      now = item.action;
      node.dataset.action = now;
      setText(node, ORDERS[now].text);
      allow(node, this.table.orders[now]);
    };
    return { node, update };
  }

  async #order(action) {
    // A second press is not meant for what the button says then.
    if (this.#isBusy) return;
    const { table } = this;
    const { ask, yes } = ORDERS[action];
    const isHeld = Boolean(table.round && this.store.tournament?.running);
    const question = ask?.(table, isHeld);
    if (question && !await confirm(question, yes)) return;
    this.#isBusy = true;
    await send({ action, table: table.id });
    this.#isBusy = false;
  }

  /** The button that empties a seat. */
  #vacate(place, seat) {
    const { client, title } = this.table.seats[seat];
    const empty = () => send({ action: 'assign', table: this.table.id, color: this.table.seats[seat].code, client: null });
    const may = client != null && this.table.orders.assign === null;
    keyed(place, may ? [seat] : [], () => seat, () => ({ node: button('Vacate', empty, 'quiet', `Empty the seat of ${title}`) }));
  }

  /** The buttons in the row of a client: a seat at a table where a game is played is not offered. */
  client(place, client) {
    const { table } = this;
    const sits = ({ seats }) => seats.some(seat => seat.client === client.id);
    const isFree = ({ orders }) => orders.assign === null;
    const may = table && client.name != null && isFree(table) && this.store.ordered().filter(sits).every(isFree);
    const seats = may ? table.seats.filter(seat => seat.client !== client.id) : [];
    // Who gives clients their seats can also send them away.
    const isHost = table && 'assign' in table.orders;
    const items = [...seats.map(seat => ({ key: seat.code, seat })), ...isHost ? [{ key: 'disconnect' }] : []];
    keyed(place, items, item => item.key, ({ seat, key }) => {
      if (!seat) return this.#disconnect(client.id);
      const assign = () => send({ action: 'assign', table: this.table.id, color: key, client: client.id });
      const node = button(seat.title, assign, 'quiet');
      const update = item => setAttribute(node, 'aria-label',
        `Seat ${client.name} as ${item.seat.title} at ${shortTitle(this.table)}`);
      node.dataset.action = 'assign';
      return { node, update };
    });
  }

  #disconnect(id) {
    const name = () => this.store.clients.get(id)?.name ?? 'this client';
    const close = async () => {
      if (await confirm(['Disconnect ', bdi(name()), '?'], 'Disconnect')) await send({ action: 'disconnect', client: id });
    };
    const node = button('✕', close, 'quiet danger-text');
    node.dataset.action = 'disconnect';
    node.title = 'Disconnect';
    return { node, update: () => setAttribute(node, 'aria-label', `Disconnect ${name()}`) };
  }

  /**
   * The button that brings a game back: to its own table, or if it has none to the one that is
   * shown, or to a free one.
   */
  adjourned(place, game) {
    const known = game.table == null ? [this.table, ...this.store.ordered()] : [this.store.tables.get(game.table)];
    const tables = known.filter(table => table && 'recall' in table.orders);
    let to = null;
    const recall = () => send({ action: 'recall', table: to.id, game: game.id });
    keyed(place, tables.length ? [tables] : [], () => 'recall', () => {
      const node = orderButton('', recall, 'quiet');
      node.dataset.action = 'recall';
      const update = tables => {
        to = tables.find(({ orders }) => orders.recall === null) ?? tables[0];
        setText(node, `Bring back to ${shortTitle(to)}`);
        allow(node, to.orders.recall);
      };
      return { node, update };
    });
  }

  /** What can be done while a tournament goes on. */
  running() {
    // Whoever plays must not leave now.
    const plays = name => this.store.ordered().find(({ round, phase, seats }) =>
      round && phase === 'playing' && seats.some(seat => seat.name === name));
    const whyNot = name => {
      const table = plays(name);
      return table ? `${isolated(name)} plays at ${shortTitle(table)}: let the game end, or pause it first` : null;
    };
    return running(send, whyNot);
  }

  /** The form that holds a tournament. */
  holding() {
    return this.form.part();
  }
}
