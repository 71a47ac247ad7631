// The state of the server, as far as the feed has sent it. It knows no game and no element of the page.

const VERSION = 2;
const LOG = 300;
const FINISHED = 100;

/** A board after some of its characters have changed. */
function changed(board, set) {
  const cells = [...board];
  for (const [index, cell] of set) cells[index] = cell;
  return cells.join('');
}

export class Store {
  constructor() {
    this.forget();
  }

  /** Resets the state, as at the start of a connection. */
  forget() {
    // Whether the server has sent its state.
    this.isKnown = false;
    this.server = { title: 'Referee', organizer: false, tournaments: false, clients: true };
    this.tables = new Map();
    this.clients = new Map();
    this.log = [];
    this.adjourned = [];
    this.finished = [];
    this.tournament = null;
    // What is planned for a tournament; null if nothing is, or we are not the organizer.
    this.plan = null;
    // Who takes part in a tournament that begins now; null if the server does not say.
    this.entrants = null;
    this.ladder = null;
    // What the organizer is warned of.
    this.warnings = [];
    // Our clock minus the feed's clock. The smallest difference is that of the message with
    // the shortest delay.
    this.offset = Infinity;
  }

  /** The feed's clock, in milliseconds. */
  now() {
    return performance.now() - this.offset;
  }

  /** Applies a message of the feed. */
  apply(message) {
    if (message.v !== VERSION) throw new Error('This page is older than the server. Reload it.');
    this.offset = Math.min(this.offset, performance.now() - message.now);
    switch (message.type) {
      case 'all': return this.#all(message);
      case 'table': return this.#table(message);
      case 'table-gone': return this.tables.delete(message.table);
      case 'client': return this.clients.set(message.client.id, message.client);
      case 'client-gone': return this.clients.delete(message.client);
      case 'log': return this.#line(message.line);
      case 'adjourned': return this.adjourned = message.games;
      case 'finished': return this.#over(message.game);
      case 'tournament': return this.tournament = message.tournament;
      case 'entrants': return this.entrants = message.names;
      case 'warnings': return this.warnings = message.warnings;
      case 'ladder': return this.ladder = message.ladder;
      default: return undefined;
    }
  }

  #all(message) {
    this.isKnown = true;
    this.server = message.server;
    this.tables.clear();
    for (const table of message.tables) this.#table(table);
    this.clients = new Map(message.clients.map(client => [client.id, client]));
    this.log = message.log;
    this.adjourned = message.adjourned;
    this.finished = message.finished;
    this.tournament = message.tournament;
    this.plan = message.plan ?? null;
    this.entrants = message.entrants ?? null;
    this.ladder = message.ladder;
    this.warnings = message.warnings ?? [];
  }

  #table({ table, at, from, plies }) {
    const past = this.tables.get(table.id)?.plies.slice(0, from) ?? [];
    for (const { board, set, ...ply } of plies) {
      const before = past.at(-1)?.board ?? '';
      past.push({ ...ply, board: board ?? changed(before, set) });
    }
    this.tables.set(table.id, { ...table, at, plies: past });
  }

  #line(line) {
    this.log.push(line);
    if (this.log.length > LOG) this.log.shift();
  }

  #over(game) {
    const others = this.finished.filter(({ number }) => number !== game.number);
    const inOrder = [...others, game].sort((one, other) => one.began - other.began || one.number - other.number);
    this.finished = inOrder.slice(-FINISHED);
  }

  /** The tables in the order of their numbers. */
  ordered() {
    return [...this.tables.values()].sort((a, b) => a.id - b.id);
  }

  /** The time that a seat has left now, in milliseconds; `null` without time controls. */
  left(table, seat) {
    const { left_ms: left } = table.seats[seat];
    if (left == null) return null;
    const gone = table.running === seat ? Math.max(0, this.now() - table.at) : 0;
    return Math.max(0, left - gone);
  }
}
