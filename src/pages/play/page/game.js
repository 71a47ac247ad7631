// A game between people and engines: who plays, the clocks, and how it ended.

import { setAttribute, setText, byId, el } from '../page/dom.js';
import { clock as formatClock } from '../page/clock.js';
import { session, storeIn } from './embed.js';

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

/** The end of a game that the board does not tell, as SGF has it. */
const sgfOf = ({ color, how }) => `${color === 'black' ? 'W' : 'B'}+${how === 'time' ? 'T' : 'R'}`;

export const isText = value => typeof value === 'string';
export const areTexts = values => Array.isArray(values) && values.every(isText);
const isNumber = value => Number.isFinite(value) && value >= 0;
const areTimes = times => COLORS.every(color => isNumber(times?.[color]));

/** Whether something that was stored is what every game of this kind has: its players, its pace, and its end. */
export const isKeptGame = (kind, { players, pace, end }) =>
  COLORS.every(color => kind.players.includes(players?.[color])) && isNumber(pace)
  && (end === null || COLORS.includes(end?.color) && isText(end.how) && isText(end.moves));

/** Whether something that was stored is a whole game of this kind. */
function isGame(kind, { seconds, increment, line, left, leftAfter, increased, ended, running, since, ...others }) {
  return isKeptGame(kind, { ...others, end: ended })
    && [seconds, increment, increased].every(isNumber)
    && areTimes(left) && leftAfter.every(times => times === null || areTimes(times))
    && (line === null || (line.rules === null || isText(line.rules)) && areTexts(line.moves))
    && (running === null || COLORS.includes(running) && isNumber(since));
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
  // The game that the clocks are of, until it is over: its rules and moves. Else null.
  line = null;
  // The time left of each player, in milliseconds; and what it was after each ply.
  left = { black: 0, white: 0 };
  #leftAfter = [];
  // The last ply that had an increment: one that is taken back and played again has no other.
  #increased = 0;
  // Who resigned or ran out of time, which of both, and after which moves.
  #end = null;
  // The same, while these moves are shown.
  ended = null;
  isPaused = false;
  // Whose clock runs, and the time of day until which it has been charged.
  #running = null;
  #since = null;

  constructor(kind) {
    this.kind = kind;
    this.players = { black: 'person', white: kind.opponent };
    try {
      const stored = JSON.parse(session.getItem(this.#stored));
      if (!isGame(kind, stored)) return;
      const { players, seconds, increment, pace, line, left, leftAfter, increased, ended, running, since } = stored;
      Object.assign(this, { players, seconds, increment, pace, line, left, ended });
      this.#leftAfter = leftAfter;
      this.#increased = increased;
      this.#end = ended;
      this.#running = running;
      this.#since = since;
      this.comeBack();
    } catch {
      // Nothing is stored, or something else.
    }
  }

  /** Where the browser keeps it. */
  get #stored() { return `${this.kind.id}-game`; }

  /** Keeps the game, with the time left by now, for the next load of the page. */
  store() {
    this.#charge();
    const { players, seconds, increment, pace, line, left } = this;
    const [leftAfter, increased, ended, running, since] = [this.#leftAfter, this.#increased, this.#end, this.#running, this.#since];
    storeIn(session, this.#stored,
      JSON.stringify({ players, seconds, increment, pace, line, left, leftAfter, increased, ended, running, since }));
  }

  /** Starts a new game with these settings, by these rules. */
  start(settings, rules) {
    this.runClock(null);
    Object.assign(this, settings);
    this.line = this.seconds ? { rules, moves: [] } : null;
    this.left = { black: this.seconds * 1000, white: this.seconds * 1000 };
    this.#leftAfter = [{ ...this.left }];
    this.#increased = 0;
    this.isPaused = false;
    this.goOn();
  }

  /** What is kept of the game while another one is in its place. */
  get kept() {
    const { players, pace } = this;
    return { players, pace, end: this.#end, hadClocks: this.line !== null };
  }

  /** Goes on with a game that was kept: without clocks, which have not run meanwhile. */
  resume({ players, pace, end }) {
    this.start({ players, seconds: 0, increment: 0, pace });
    this.#end = end;
    this.store();
  }

  /** Leaves a game whose clocks may run, for another one. */
  leave() {
    this.runClock(null);
    if (this.isTimed) this.line = null;
    this.store();
  }

  /** Whether two engines play. */
  get isDemo() { return COLORS.every(color => this.players[color] !== 'person'); }

  /** Whether the engine has this color. */
  isEngine(color) { return color !== null && this.players[color] !== 'person'; }

  /** Whether it is a game with clocks that a person plays, and not over. */
  get isTimed() { return this.line !== null && !this.isDemo; }

  /** Whether the clocks run: from the first move on. */
  get hasBegun() { return this.#leftAfter.length > 1; }

  /** Ends the game without the board: `how` is `resign` or `time`. */
  end(color, how, moves) {
    this.runClock(null);
    this.line = null;
    this.#end = { color, how, moves: moves.join() };
    this.ended = this.#end;
    this.store();
  }

  /** Goes on with a game that may have ended: then it has no clocks any more. */
  goOn() {
    if (!this.line) this.seconds = 0;
    this.ended = this.#end = null;
    this.store();
  }

  /** The end without the board after these moves; null if there is none: a variation goes on. */
  #endAfter(moves) { return this.#end?.moves === moves.join() ? this.#end : null; }

  /** Takes note of the moves of the game, and of its end on the board. */
  follow({ moves, view }) {
    this.ended = this.#endAfter(moves);
    if (!this.line) return;
    if (!view.turn) this.runClock(null);
    this.line = view.turn && { ...this.line, moves };
    this.store();
  }

  /** How the game ended, as a sentence; null if it did not. */
  resultOf(view) { return this.ended ? describeResult(this.kind, sgfOf(this.ended)) : view.result; }

  /** The result of a game as SGF has it, if the board does not tell. */
  sgfResult(moves) {
    const end = this.#endAfter(moves);
    return end && sgfOf(end);
  }

  /** Lets the clock of a player run; null stops both. */
  runClock(color) {
    if (color === this.#running) return;
    this.#charge();
    this.#running = color;
    this.#since = color && Date.now();
  }

  /** The time left of a player, in whole milliseconds; null without clocks. */
  timeLeft(color) {
    this.#charge();
    return this.line ? Math.floor(this.left[color]) : null;
  }

  /**
   * A player has made the move of a ply: adds the increment to their time, if the clock ran. A game that
   * goes on after its end has no clocks any more.
   */
  moved(color, ply) {
    if (!this.line) {
      this.seconds = 0;
      return;
    }
    this.#charge();
    if (color === this.#running && ply > this.#increased) {
      this.left[color] += this.increment * 1000;
      this.#increased = ply;
    }
    this.#leftAfter[ply] = { ...this.left };
  }

  /**
   * Lets a player go back to a ply. The player pays the time that the opponent gets back: nobody gains
   * time by taking back, or loses it to a player who does.
   */
  takeBack(color, ply) {
    this.goOn();
    if (!this.line) return;
    const opponent = opponentOf(color);
    const used = Math.max(0, (this.#leftAfter[ply]?.[opponent] ?? 0) - this.left[opponent]);
    this.left[opponent] += used;
    this.#take(color, used);
  }

  #take(color, time) { this.left[color] = Math.max(0, this.left[color] - time); }

  /** Charges the time since the last charge: to the player whose clock runs, or to another one. */
  #charge(color = this.#running) {
    if (!this.#running) return;
    // The time of day goes on while the machine sleeps and after the page is closed. It may be set back.
    const now = Date.now();
    this.#take(color, Math.max(0, now - this.#since));
    this.#since = now;
  }

  /**
   * The page is back after it was left. Meanwhile a person's clock has run on: also in the turn of the
   * engine, which has waited for the person. Two engines have waited for nobody.
   */
  comeBack() {
    if (this.isDemo) this.#running = null;
    this.#charge(this.isEngine(this.#running) ? opponentOf(this.#running) : this.#running);
  }

  /** Measures the time. Returns the player whose flag has fallen, if any. */
  tick() {
    if (!this.#running) return null;
    this.#charge();
    return COLORS.find(color => this.left[color] === 0) ?? null;
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

  /**
   * Draws the players; `game` is null where nobody plays, and `names` has those of a file. `turn` is whose
   * turn it is, who may be another than in the position that is shown; `isThinking` is whether that is an
   * engine, which thinks.
   */
  draw(kind, view, game, names, turn, isThinking) {
    for (const color of COLORS) {
      const { node, badge, name, color: ofColor, points, clock } = this.#parts[color];
      // South and North have no color: a letter tells them apart.
      setAttribute(badge, 'class', `badge ${kind.isSolved ? color : 'pit'}`);
      setText(badge, kind.isSolved ? '' : kind.names[color][0]);
      const called = game ? kind.nameOf(game.players[color]) : names?.[color];
      setText(name, called ?? kind.names[color]);
      setAttribute(name, 'title', called ?? null);
      setText(ofColor, turn === color && isThinking ? 'thinking …' : called ? kind.names[color] : '');
      setText(points, String(view.count[color]));
      setAttribute(points, 'aria-label', kind.stones(view.count[color]));
      setAttribute(points, 'role', 'img');
      const hasClocks = game?.seconds > 0;
      clock.hidden = !hasClocks;
      if (hasClocks) {
        setText(clock, formatClock(game.left[color]));
        setAttribute(clock, 'data-low', game.left[color] < 20_000);
      }
      setAttribute(node, 'data-turn', turn === color && !game?.ended);
    }
  }
}
