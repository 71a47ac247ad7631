// The searches of the server for the position that is shown: the move of the engine, the values of
// moves, a best line, and the review of the game.

import { notice } from '../page/notices.js';
import { embedded, local, storeIn } from './embed.js';
import { startSearch, stopReview, stopSearch } from './link.js';

// On a touch screen, nothing can be looked at without playing there.
const touches = matchMedia('(hover: none)');

const NONE = { kind: null, node: null };
// The engine loses no game by its pace: it waits at most this part of the time that is left.
const PACE_SHARE = 30;
// The longest time for a best line while values are still sought, in milliseconds.
const LINE_TIME = 1_500;
// The pointer crosses many points on its way.
const LOOK_TIME = 150;
// With a packed tablebase of the usual size, the values of positions with at most so many stones are known at
// once. Without one, that is told once to a visitor on the machine of the server, after this time.
const PACKED_STONES = 8;
const SLOW_TIME = 3_000;
const TOLD_OF_TABLEBASE = 'gothello-told-of-tablebase';
const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);

export class Searches {
  #store;
  #reviews;
  #play;
  // What the search of the moment is about, so that it is not started twice.
  #current = NONE;
  // The end of the game that is being reviewed.
  #reviewed = null;
  // The best lines that are known, by the position and their first move.
  #lines = new Map();
  // The node and the move whose best line took too long while values are still sought.
  #tooLong = { node: null, move: null };
  #engineTimer;
  #lineTimer;
  #lookTimer;
  #slowTimer;

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
    else {
      this.#findValues();
      if (this.#store.values.of(this.#store.position)?.done) this.#findBestLine();
    }
  }

  /** Notes that the pointer or the focus is on a point, or on none. */
  look(point) {
    const store = this.#store;
    if (store.lookedAt === point || !store.tree) return;
    store.set({ lookedAt: point });
    store.change({ bestLine: this.#lines.get(this.#lineKey) ?? null });
    if (this.#current.kind === 'line') this.#findValues();
    clearTimeout(this.#lookTimer);
    this.#lookTimer = setTimeout(() => this.#findBestLine(), LOOK_TIME);
  }

  /**
   * The first move of the best line: the one that is looked at; or else, on a touch screen, the best one when
   * all values are known.
   */
  get #lineMove() {
    const { position, lookedAt, values } = this.#store;
    if (position.legal[lookedAt]) return lookedAt;
    const known = values.of(position);
    return known?.done && touches.matches ? known.hardest ?? known.best[0] : null;
  }

  get #lineKey() { return `${this.#store.position.text} ${this.#lineMove}`; }

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

  /** Tells how values are known at once, if they take long. */
  #tellOfTablebase(asked) {
    const { black, white } = asked.view.count;
    if (!isHere || embedded || black + white > PACKED_STONES || local.getItem(TOLD_OF_TABLEBASE)) return;
    clearTimeout(this.#slowTimer);
    this.#slowTimer = setTimeout(() => {
      const store = this.#store;
      if (store.node !== asked || store.values.of(asked.view)?.done || !store.showsValues) return;
      storeIn(local, TOLD_OF_TABLEBASE, 'true');
      store.change({ tellsOfTablebase: true });
    }, SLOW_TIME);
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
    this.#tellOfTablebase(asked);
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

  /** Finds best play after a move once its value is known. */
  #findBestLine() {
    const store = this.#store;
    const { node: asked, tree } = store;
    const move = this.#lineMove;
    const known = store.values.of(asked.view);
    const [low, high] = known?.bounds.get(move) ?? [-25, 25];
    if (!store.showsValues || low !== high || store.isSetup || store.bestLine) return;
    if (this.#current.kind === 'move' || this.#current.kind === 'line') return;
    if (!known.done && this.#tooLong.node === asked && this.#tooLong.move === move) return;
    const key = this.#lineKey;
    const isAsked = () => store.node === asked && this.#lineKey === key;
    const show = line => {
      this.#lines.set(key, line);
      if (isAsked()) store.change({ bestLine: line });
    };
    if (this.#lines.has(key)) return show(this.#lines.get(key));
    if (move === 'pass' && asked.view.last_pass) return show(move);
    this.#current = { kind: 'line', node: asked };
    clearTimeout(this.#lineTimer);
    if (!known.done) {
      this.#lineTimer = setTimeout(() => {
        if (!this.#isAbout('line', asked) || !isAsked()) return;
        this.#tooLong = { node: asked, move };
        this.#findValues();
      }, LINE_TIME);
    }
    const line = { ...tree.lineTo(asked), moves: [...asked.moves, move] };
    startSearch({ ask: 'best-line', line }, response => {
      if (response.type !== 'best-line') return;
      this.#current = NONE;
      show([move, ...response.moves].join(' '));
      // The values that are not known yet are sought again.
      this.proceed();
    });
  }
}
