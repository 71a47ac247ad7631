// The state of the page, and what follows from it. It knows no element of the page.

import { embedded, local, storeIn } from './embed.js';
import { Game, describeResult } from './game.js';
import { KINDS } from './kinds.js';
import { Shelf } from './shelf.js';
import { Values } from './values.js';

/** What can be shown besides the stones. Values are an answer in a game, and the point of exploring. */
export const SWITCHES = ['show-values', 'black-view', 'show-liberties'];

const keyOf = (id, view) => `gothello-${id}${id === 'show-values' && view === 'play' ? '-in-games' : ''}`;

/** Whether each switch was turned on for a view. */
const switchesOf = view => Object.fromEntries(SWITCHES.map(id => {
  const byDefault = String(id === 'show-values' && (embedded ? embedded === 'values' : view !== 'play'));
  return [id, (local.getItem(keyOf(id, view)) ?? byDefault) === 'true'];
}));

export class Store {
  // Each game has its players and clocks; `game` is of the one that is shown.
  games = { gothello: new Game(KINDS.gothello), awari: new Game(KINDS.awari) };
  game = Object.values(this.games).find(({ isTimed }) => isTimed) ?? this.games.gothello;
  view = 'play';
  tree = null;
  // The tree that is shown again after the lesson.
  kept = null;
  // The trees that others have replaced.
  shelf = new Shelf();
  // What is said below the turn: why a move is illegal, or that a search waits.
  remark = '';
  isWaiting = false;
  // The point under the pointer or with the focus, and the best line from there.
  lookedAt = null;
  bestLine = null;
  // Whether it is told how to get a larger tablebase.
  tellsOfTablebase = false;
  // Whether a move waits for the server.
  isMoving = false;
  // Whether a position is being set up.
  isSetup = false;
  switches = switchesOf(this.view);
  values = new Values();
  #draw;

  /** `draw()` is called after a change that is shown. */
  constructor(draw) { this.#draw = draw; }

  /** Changes the state; what is shown follows later. */
  set(changes) {
    Object.assign(this, changes);
    if (changes.view) this.switches = switchesOf(this.view);
  }

  /** Changes the state and what is shown. */
  change(changes) {
    this.set(changes);
    this.#draw();
  }

  /** Turns a switch on or off, in this view and in the next ones of its kind. */
  turn(id, isOn) {
    storeIn(local, keyOf(id, this.view), String(isOn));
    this.change({ switches: { ...this.switches, [id]: isOn } });
  }

  get node() { return this.tree.node; }

  /** The position that is shown. */
  get position() { return this.node.view; }

  /** The nodes of the main line. */
  get main() { return this.tree.end.path; }

  /** The end of the game, or of the variation, that is shown. */
  get end() { return this.tree.endFrom(this.node); }

  get isAtEnd() { return this.view === 'play' ? this.node === this.end : this.node.children.length === 0; }

  get showsValues() {
    return this.tree.kind.isSolved && this.view !== 'learn' && !this.game.isTimed && this.switches['show-values'];
  }

  /** The position in which the game goes on; null if nobody is to move, or another one is shown. */
  get liveNode() {
    // A game with clocks goes on whatever its player looks at.
    const end = this.game.isTimed ? this.end : this.node;
    return this.view === 'play' && end.view.turn && !this.game.ended && end === this.tree.endFrom(end) ? end : null;
  }

  /** Whether the engine thinks about its move. */
  get isThinking() { return this.liveNode !== null && this.game.isEngine(this.liveNode.view.turn) && !this.game.isPaused; }

  /** Whether the game that is shown is over. */
  get isOver() { return this.view === 'play' && (!this.end.view.turn || this.game.ended !== null); }

  /** Whether a click places a stone. */
  get canPlace() {
    if (this.isSetup || !this.position.turn) return false;
    if (this.view === 'play') return this.node === this.liveNode && !this.game.isEngine(this.position.turn);
    return this.view !== 'learn' || !this.node.parent;
  }

  /** Why no move can be made now. */
  get whyNot() {
    const { view, tree, game } = this;
    if (view === 'learn') return 'Take the move back to try another one.';
    if (!this.isAtEnd) {
      const explore = tree.kind.isSolved && !game.isTimed ? ', or explore from here' : '';
      return `This is an earlier position: go to the end, ${explore ? '' : 'or '}take back${explore}.`;
    }
    if (!this.position.turn || game.ended) return 'The game is over.';
    return `It is ${tree.kind.names[this.position.turn]}’s turn: the engine is thinking.`;
  }

  /** Whether a tree that was replaced can be shown again. */
  get canRestore() { return this.tree !== null && this.view !== 'learn' && !this.isSetup && !this.game.isTimed; }

  /** The last node at which a person was to move, before the end; null if there is none. */
  get lastOfPerson() {
    if (this.game.isDemo) return null;
    let at = this.end.parent;
    while (at && this.game.isEngine(at.view.turn)) at = at.parent;
    return at;
  }

  /** The result of the game, if the board does not tell: of a file, or of a game that was given up. */
  get namedResult() {
    const { tree } = this;
    return tree.namedResult ?? (tree.isPlayed ? this.game.sgfResult(tree.end.moves) : null);
  }

  /** Whose turn it is, or how the game ended, and what the last move did. */
  get phase() {
    if (this.isSetup) return 'Setting up';
    const { view, tree, game } = this;
    const { names, effectOf } = tree.kind;
    const { by, move, turn, result, last_pass: lastPass } = this.position;
    const named = view !== 'play' && this.node === tree.end ? describeResult(tree.kind, this.namedResult) : null;
    const ended = view === 'play' && this.isAtEnd ? game.resultOf(this.position) : result ?? named;
    const last = by && (move === 'pass' ? `${names[by]} passed. ` : `${names[by]} ${move}${effectOf(this.position)}. `);
    if (this.node.isSetUp && !ended) return `Set up. ${names[turn]} to move`;
    if (ended) return `${last && !game.ended ? last : ''}${ended}`;
    return `${last ?? ''}${names[turn]} to move${lastPass ? '; a pass ends the game' : ''}`;
  }
}
