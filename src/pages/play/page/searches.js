// The searches of the server for the position that is shown: the move of the engine, the values of
// moves, a best line, and the review of the game.

import { notice } from '../page/notices.js';
import { startSearch, stopReview, stopSearch } from './link.js';

const NONE = { kind: null, node: null };
// The engine loses no game by its pace: it waits at most this part of the time that is left.
const PACE_SHARE = 30;
// The longest time for a best line while values are still sought, in milliseconds.
const LINE_TIME = 1_500;
// The pointer crosses many points on its way.
const LOOK_TIME = 150;

export class Searches {
  #store;
  #reviews;
  #play;
  // What the search of the moment is about, so that it is not started twice.
  #current = NONE;
  // The end of the game that is being reviewed.
  #reviewed = null;
  // The node and the point whose best line took too long while values are still sought.
  #tooLong = { node: null, point: null };
  #engineTimer;
  #lineTimer;
  #lookTimer;

  /** `play` makes the moves of the engine. */
  constructor(store, reviews, play) {
    this.#store = store;
    this.#reviews = reviews;
    this.#play = play;
  }

  /** Stops the search about a position, and the move of the engine that it was for. */
  halt() {
    clearTimeout(this.#engineTimer);
    stopSearch();
    this.#current = NONE;
  }

  /** Starts what follows from the position that is shown: the engine moves, or values are found. */
  proceed() {
    const { game, liveNode: live } = this.#store;
    const isOn = live !== null && !game.isPaused;
    game.runClock(isOn && game.line && game.hasBegun ? live.view.turn : null);
    this.#findCosts();
    if (isOn && game.isEngine(live.view.turn)) this.#findMove(live);
    else this.#findValues();
  }

  /** Notes that the pointer or the focus is on a point, or on none. */
  look(point) {
    if (this.#store.lookedAt === point || !this.#store.tree) return;
    this.#store.change({ lookedAt: point, bestLine: null });
    if (this.#current.kind === 'line') this.#findValues();
    clearTimeout(this.#lookTimer);
    if (point) this.#lookTimer = setTimeout(() => this.#findBestLine(), LOOK_TIME);
  }

  #isAbout(kind, node) { return this.#current.kind === kind && this.#current.node === node; }

  #findMove(asked) {
    if (this.#isAbout('move', asked)) return;
    this.#current = { kind: 'move', node: asked };
    const store = this.#store;
    store.set({ isWaiting: false });
    const since = performance.now();
    const { tree, game: played } = store;
    const question = {
      ask: 'move', line: tree.lineTo(asked), ...tree.kind.strengthOf(played.players[asked.view.turn]),
      // If the connection is lost meanwhile, the question is sent again with what is left then.
      get left() { return played.timeLeft(asked.view.turn); },
    };
    startSearch(question, response => {
      if (response.type === 'waiting' || response.type === 'busy') {
        return store.change({ remark: 'The engine waits for its turn to think' });
      }
      if (response.type === 'error') return notice(response.why);
      const { game } = store;
      const left = game.timeLeft(asked.view.turn);
      const pace = left === null ? game.pace : Math.min(game.pace, left / PACE_SHARE);
      const wait = pace - (performance.now() - since);
      const note = response.is_estimate ? 'The engine had no time to prove this move: it is an estimate.' : '';
      const move = () => this.#play(response.move, { from: asked, note });
      // The timers of a page that nobody sees are late, and its clock runs.
      if (wait <= 0 || document.hidden) move();
      else this.#engineTimer = setTimeout(move, wait);
    });
  }

  /** Finds the values of the moves, if they are shown and not known. */
  #findValues() {
    clearTimeout(this.#engineTimer);
    const store = this.#store;
    const { node: asked, values } = store;
    if (!store.showsValues || !asked.view.turn || values.of(asked.view)?.done || store.isSetup) {
      if (this.#current.kind !== null) this.halt();
      return;
    }
    if (this.#isAbout('values', asked)) return;
    this.#current = { kind: 'values', node: asked };
    store.set({ isWaiting: false });
    startSearch({ ask: 'values', line: store.tree.lineTo(asked) }, response => {
      if (response.type === 'error') return notice(response.why);
      const isWaiting = response.type !== 'values';
      if (!isWaiting) {
        values.update(asked.view, response);
        if (response.done && this.#current.node === asked) this.#current = NONE;
      }
      store.change({ isWaiting });
      this.#findBestLine();
    });
  }

  /** Finds what each move of the game cost, where that is shown. */
  #findCosts() {
    const store = this.#store;
    const { tree } = store;
    const line = tree.lineTo(tree.end);
    if (store.view !== 'review' || store.isSetup || this.#reviews.of(line)?.done) {
      this.#reviewed = null;
      return stopReview();
    }
    if (this.#reviewed === tree.end) return;
    this.#reviewed = tree.end;
    startSearch({ ask: 'review', line }, response => {
      if (response.type === 'error') return notice(response.why);
      if (response.type === 'review') this.#reviews.update(line, response);
      store.change({});
    });
  }

  /** Finds best play after the move that is looked at, once the value of the move is known. */
  #findBestLine() {
    const store = this.#store;
    const { node: asked, lookedAt: point, tree } = store;
    const known = store.values.of(asked.view);
    const [low, high] = known?.bounds.get(point) ?? [-25, 25];
    if (!store.showsValues || low !== high || !asked.view.legal[point] || store.isSetup || store.bestLine) return;
    if (this.#current.kind === 'move' || this.#current.kind === 'line') return;
    if (!known.done && this.#tooLong.node === asked && this.#tooLong.point === point) return;
    this.#current = { kind: 'line', node: asked };
    clearTimeout(this.#lineTimer);
    if (!known.done) {
      this.#lineTimer = setTimeout(() => {
        if (!this.#isAbout('line', asked) || store.lookedAt !== point) return;
        this.#tooLong = { node: asked, point };
        this.#findValues();
      }, LINE_TIME);
    }
    const line = { ...tree.lineTo(asked), moves: [...asked.moves, point] };
    startSearch({ ask: 'best-line', line }, response => {
      if (response.type !== 'best-line') return;
      this.#current = NONE;
      if (store.node === asked && store.lookedAt === point) {
        store.change({ bestLine: [point, ...response.moves].join(' ') });
      }
      // The values that are not known yet are sought again.
      this.proceed();
    });
  }
}
