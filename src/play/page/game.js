// A game between people and engines: who plays, the clocks, and how it ended.

import { setAttribute, setText, byId, el } from '../page/dom.js';
import { clock as formatClock } from '../page/clock.js';

const COLORS = ['black', 'white'];

/** The other color. */
export const opponentOf = color => color === 'black' ? 'white' : 'black';

/** A result of SGF that the board does not tell, as a sentence; null for another. */
export function describeResult(kind, result) {
  const [, letter, how] = /^([BW])\+(R|T|F)/.exec(result ?? '') ?? [];
  if (!letter) return null;
  const by = { R: 'by resignation', T: 'on time', F: 'by forfeit' }[how];
  return `${kind.names[letter === 'B' ? 'black' : 'white']} wins ${by}`;
}

/** The settings of a game, its clocks, and its end if it did not end on the board. */
export class Game {
  players;
  // The time of each player at the start in seconds; 0 is without clocks.
  seconds = 0;
  // What each move adds to the time of its player, in seconds.
  increment = 0;
  // The shortest time for a move of the engine, in milliseconds.
  pace = 600;
  // The time left of each player, in milliseconds.
  left = { black: 0, white: 0 };
  // The last ply that had an increment: one that is taken back and played again has no other.
  #increased = 0;
  // Who resigned or ran out of time, which of both, and after which moves.
  #end = null;
  // The same, while these moves are shown.
  ended = null;
  isPaused = false;
  #since = null;
  #running = null;

  #kind;

  constructor(kind) {
    this.#kind = kind;
    this.players = { black: 'person', white: kind.opponent };
    try {
      const { players, seconds, increment = 0, pace, left, increased = 0, ended } = JSON.parse(sessionStorage.getItem(this.#stored)) ?? {};
      if (COLORS.every(color => kind.players.includes(players?.[color]))) {
        Object.assign(this, { players, seconds, increment, pace, left, ended });
        this.#increased = increased;
        this.#end = ended;
      }
    } catch {
      // What is stored is of another version.
    }
  }

  /** Where the browser keeps it. */
  get #stored() { return `${this.#kind.id}-game`; }

  /** Keeps the game, with the time left by now, for the next load of the page. */
  store() {
    this.#charge();
    const { players, seconds, increment, pace, left } = this;
    const ended = this.#end;
    const increased = this.#increased;
    sessionStorage.setItem(this.#stored, JSON.stringify({ players, seconds, increment, pace, left, increased, ended }));
  }

  /** Starts a new game with these settings. */
  start(settings) {
    this.runClock(null);
    Object.assign(this, settings);
    this.left = { black: this.seconds * 1000, white: this.seconds * 1000 };
    this.#increased = 0;
    this.isPaused = false;
    this.goOn();
  }

  /** Whether two engines play. */
  get isDemo() { return COLORS.every(color => this.players[color] !== 'person'); }

  /** Whether the engine has this color. */
  isEngine(color) { return color !== null && this.players[color] !== 'person'; }

  /** Ends the game without the board: `how` is `resign` or `time`. */
  end(color, how, moves) {
    this.runClock(null);
    this.#end = { color, how, moves: moves.join() };
    this.checkEnd(moves);
    this.store();
  }

  /** Goes on with a game that had ended. */
  goOn() {
    this.ended = this.#end = null;
    this.store();
  }

  /** Shows the game as ended if it ended after these moves: a variation goes on. */
  checkEnd(moves) {
    this.ended = this.#end?.moves === moves.join() ? this.#end : null;
  }

  /** How the game ended, as a sentence; null if it did not. */
  resultOf(view) {
    if (!this.ended) return view.result;
    const { color, how } = this.ended;
    const winner = this.#kind.names[opponentOf(color)];
    return how === 'time' ? `${winner} wins on time` : `${winner} wins by resignation`;
  }

  /** The result of a game as SGF has it, if the board does not tell. */
  sgfResult(moves) {
    if (this.#end?.moves !== moves.join()) return null;
    const { color, how } = this.#end;
    return `${opponentOf(color) === 'black' ? 'B' : 'W'}+${how === 'time' ? 'T' : 'R'}`;
  }

  /** Lets the clock of a player run; null stops both. */
  runClock(color) {
    if (color === this.#running) return;
    this.#charge();
    this.#running = color;
    this.#since = color && performance.now();
  }

  /** The time left of a player, in whole milliseconds; null without clocks. */
  timeLeft(color) {
    this.#charge();
    return this.seconds ? Math.floor(this.left[color]) : null;
  }

  /** Adds the increment to the time of a player who has made the move of a ply, if the clock ran. */
  increase(color, ply) {
    if (color !== this.#running || ply <= this.#increased) return;
    this.left[color] += this.increment * 1000;
    this.#increased = ply;
  }

  #charge() {
    if (!this.#running) return;
    const now = performance.now();
    this.left[this.#running] = Math.max(0, this.left[this.#running] - (now - this.#since));
    this.#since = now;
  }

  /** Measures the time. Returns the player whose flag has fallen, if any. */
  tick() {
    if (!this.seconds || !this.#running) return null;
    this.#charge();
    return this.left[this.#running] === 0 ? this.#running : null;
  }
}

/** The two players beside the board. */
export class Seats {
  #parts = {};

  constructor() {
    byId('seats').replaceChildren(...COLORS.map(color => {
      const part = {
        name: el('span', { class: 'name' }),
        color: el('span', { class: 'faint' }),
        points: el('span', { class: 'points-count' }),
        clock: el('span', { class: 'clock', role: 'timer' }),
      };
      part.badge = el('span', { 'aria-hidden': 'true' });
      part.node = el('div', { class: 'seat', 'data-seat': color },
        el('div', { class: 'who' }, part.badge, el('div', { class: 'naming' }, part.name, part.color), part.clock, part.points));
      this.#parts[color] = part;
      return part.node;
    }));
  }

  /** Draws the players; `game` is null where nobody plays, and `names` has those of a file. */
  draw(kind, view, game, names) {
    for (const color of COLORS) {
      const { node, badge, name, color: ofColor, points, clock } = this.#parts[color];
      // South and North have no color: a letter tells them apart.
      setAttribute(badge, 'class', `badge ${kind.isSolved ? color : 'pit'}`);
      setText(badge, kind.isSolved ? '' : kind.names[color][0]);
      const called = game ? kind.nameOf(game.players[color]) : names?.[color];
      setText(name, called ?? kind.names[color]);
      setAttribute(name, 'title', called ?? null);
      setText(ofColor, called ? kind.names[color] : '');
      setText(points, String(view.count[color]));
      setAttribute(points, 'aria-label', kind.stones(view.count[color]));
      setAttribute(points, 'role', 'img');
      const isTimed = game?.seconds > 0;
      clock.hidden = !isTimed;
      if (isTimed) {
        setText(clock, formatClock(game.left[color]));
        setAttribute(clock, 'data-low', game.left[color] < 20_000);
      }
      setAttribute(node, 'data-turn', view.turn === color && !game?.ended);
    }
  }
}
