// The organizer's buttons. Spectators do not get any of them.

import { allow, button, commandButton } from './buttons.js';
import { bdi, byId, isolated, keyed, setAttribute, setText } from './dom.js';
import { runningTournament, TournamentForm } from './tournament-form.js';
import { askRuling, confirm, notice } from './notices.js';

const TOKEN = 'token';
// A proxy may have several servers at one host.
const STORED = `token ${location.pathname}`;

/** Moves the token from the address, where everybody could see it, to the session. */
export function takeToken() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get(TOKEN);
  if (!token) return;
  sessionStorage.setItem(STORED, token);
  fragment.delete(TOKEN);
  history.replaceState(null, '', `${location.pathname}${location.search}${fragment.size ? `#${fragment}` : ''}`);
}

const headers = () => {
  const token = sessionStorage.getItem(STORED);
  return token ? { authorization: `Bearer ${token}` } : {};
};

/** The subprotocols of a WebSocket, which tell the server that this is the organizer. */
export function protocols() {
  const token = sessionStorage.getItem(STORED);
  return token ? ['organizer', token] : [];
}

/** Asks the server whether the visitor is the organizer. */
export async function isOrganizer() {
  try {
    const response = await fetch('me', { headers: headers() });
    const may = response.ok && (await response.json()).organizer === true;
    // The server creates a new token at every start.
    if (response.ok && !may && sessionStorage.getItem(STORED)) {
      notice('This link is no longer valid. Open the latest one that the server has printed.');
    }
    return may;
  } catch {
    return false;
  }
}

/** Sends a command. Returns whether it was carried out; if not, shows the reason. */
async function send(action) {
  try {
    const response = await fetch('act', {
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

// Names a game in a question.
const gameAt = ({ title, seats: [one, other] }) =>
  ['the game of ', bdi(one.name ?? 'nobody'), ' and ', bdi(other.name ?? 'nobody'), ` at ${title}`];

// The commands of the first button, which shows the one that is allowed.
const MAIN = ['pause', 'resume', 'start'];

// The other commands at a table.
const OTHERS = ['swap', 'adjourn', 'void'];

const isOver = table => table.phase === 'over';

// `ask` returns the question before the command, or `null` if there is none.
const COMMANDS = {
  start: { text: () => 'Start' },
  pause: { text: () => 'Pause' },
  resume: { text: () => 'Resume' },
  swap: { text: () => 'Swap sides' },
  adjourn: {
    text: () => 'Adjourn', yes: 'Adjourn the game',
    ask: (table, inTournament) => ['Adjourn ', ...gameAt(table), '? It can be resumed later.',
      inTournament ? ` It belongs to round ${table.round} of the tournament: until it is resumed and over, its players get no other game, and the rounds that depend on it wait.` : ''],
  },
  void: {
    text: table => isOver(table) ? 'Clear' : 'Void', kind: 'danger', yes: 'Void the game',
    ask: (table, inTournament) => isOver(table) ? null : ['Void ', ...gameAt(table), '? It ends without a result and cannot be resumed.',
      inTournament ? ' The tournament starts it again.' : ''],
  },
};

/** The title of a table without details. */
const shortTitle = ({ title }) => title.split(',')[0];

export class Commands {
  #isBusy = false;

  constructor() {
    this.table = null;
    this.store = null;
    this.tables = [];
    this.form = new TournamentForm(send, () => this.store);
  }

  /** Draws the buttons of the table that is shown large. */
  draw(store, table, seats) {
    this.store = store;
    this.table = table;
    if (!table) return;
    const allowed = table.commands;
    const known = MAIN.filter(action => action in allowed);
    const main = known.find(action => !allowed[action]) ?? known.at(-1);
    const items = [main && { key: 'main', action: main }, ...OTHERS.filter(action => action in allowed).map(action => ({ key: action, action }))];
    keyed(byId('table-commands'), items.filter(Boolean), item => item.key, item => this.#button(item));
    seats.forEach((place, seat) => this.#seat(place, seat));
  }

  /** A button of the table. The first one stays the same element when its command changes. */
  #button({ key, action }) {
    let now = action;
    const node = commandButton('', () => this.#command(now), key === 'main' ? 'main' : COMMANDS[action].kind);
    const update = item => {
      now = item.action;
      node.dataset.action = now;
      setText(node, COMMANDS[now].text(this.table));
      allow(node, this.table.commands[now]);
    };
    return { node, update };
  }

  async #command(action) {
    // A second press is not meant for the command that the button has by then.
    if (this.#isBusy) return;
    const { table } = this;
    const { ask, yes } = COMMANDS[action];
    const inTournament = Boolean(table.round && this.store.tournament?.running);
    const question = ask?.(table, inTournament);
    if (question && !await confirm(question, yes)) return;
    this.#isBusy = true;
    await send({ action, table: table.id });
    this.#isBusy = false;
  }

  /** The button that empties a seat, or that frees the one of an absent player. */
  #seat(place, seat) {
    const { client, name, title } = this.table.seats[seat];
    const { assign, free } = this.table.commands;
    const to = action => send({ ...action, table: this.table.id, color: this.table.seats[seat].code });
    const buttons = {
      vacate: () => button('Vacate', () => to({ action: 'assign', client: null }), 'quiet', `Empty the seat of ${title}`),
      free: () => button('Free', () => to({ action: 'free' }), 'quiet', `Free the seat of ${title} for any address`),
    };
    const may = { vacate: client != null && assign === null, free: client == null && name != null && free === null };
    keyed(place, Object.keys(buttons).filter(key => may[key]), key => key, key => ({ node: buttons[key]() }));
  }

  /** The buttons in the row of a client. A seat at a table with a running game is not offered. */
  client(place, client) {
    const { table } = this;
    const sits = ({ seats }) => seats.some(seat => seat.client === client.id);
    const isFree = ({ commands }) => commands.assign === null;
    const may = table && client.name != null && isFree(table) && this.store.ordered().filter(sits).every(isFree);
    const seats = may ? table.seats.filter(seat => seat.client !== client.id) : [];
    // Where the organizer assigns seats, clients can also be disconnected.
    const isHost = table && 'assign' in table.commands;
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
   * The button that resumes an adjourned game at its own table; or, if it has none, moves it
   * to the one that is shown, or to a free one, where it is paused.
   */
  adjourned(place, game) {
    const known = game.table == null ? [this.table, ...this.store.ordered()] : [this.store.tables.get(game.table)];
    const tables = known.filter(table => table && 'recall' in table.commands);
    let to = null;
    const recall = () => send({ action: 'recall', table: to.id, game: game.id });
    keyed(place, tables.length ? [tables] : [], () => 'recall', () => {
      const node = commandButton('', recall, 'quiet');
      node.dataset.action = 'recall';
      const update = tables => {
        to = tables.find(({ commands }) => commands.recall === null) ?? tables[0];
        setText(node, `${game.table == null ? 'Move to' : 'Resume at'} ${shortTitle(to)}`);
        allow(node, to.commands.recall);
      };
      return { node, update };
    });
  }

  /** The commands while a tournament is running. */
  running() {
    // Where games can be paused, a player in a running one cannot be withdrawn; elsewhere it is void then.
    const tableOf = name => this.store.ordered().find(({ round, phase, seats, commands }) =>
      round && phase === 'playing' && 'pause' in commands && seats.some(seat => seat.name === name));
    const whyNot = name => {
      const table = tableOf(name);
      return table ? `${isolated(name)} is playing at ${shortTitle(table)}: let the game end, or pause it first` : null;
    };
    return runningTournament(send, whyNot);
  }

  /** The button with which the organizer decides a game of the tournament, or a free one. */
  decideButton(game, [black, white], sides, isFree = false) {
    const node = button('✎', () => this.#decide(game, [black, white], sides, isFree), 'decide', `Decide the game of ${black} and ${white}`);
    node.title = `Decide game ${game}`;
    return node;
  }

  /** Asks for the result of a game, and sends it. */
  async #decide(game, [black, white], sides, isFree) {
    const ruling = await askRuling([`Game ${game}: `, bdi(black), ` (${sides[0]}) – `, bdi(white), ` (${sides[1]})`], sides, isFree);
    if (!ruling) return;
    const { result, reason } = ruling;
    await send(result === 'replay' ? { action: 'replay', game, reason } : { action: 'correct', game, result, reason });
  }

  /** The form for a new tournament. */
  newTournament() {
    return this.form.part();
  }
}
