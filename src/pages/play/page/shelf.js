// The trees in whose place others are shown. They are kept, so that nothing that was explored is lost:
// in this tab, even when the page is loaded again.

import { VIEWS } from './address.js';
import { session, storeIn } from './embed.js';
import { areTexts, isKeptGame, isText } from './game.js';
import { KINDS } from './kinds.js';
import { Tree } from './tree.js';

const STORED = 'gothello-shelf';
const STORED_SHOWN = 'gothello-tree';
// The most trees that are kept.
const MOST = 20;

/** What is kept of a tree and of its game: plain data. `by` says what takes its place. */
export const entryOf = (tree, game, by) => ({ by, kind: tree.kind.id, tree: tree.stored, game: game.kept });

/** Loads the tree of an entry. */
export const treeOf = ({ kind, tree }) => Tree.restore(KINDS[kind], tree);

/** Whether there is more in a tree than at the start of a game. */
const isWorthKeeping = ({ kind, tree }) =>
  tree.moves.length > 0 || tree.start !== KINDS[kind].start || tree.headers !== null;

/** Whether the tree of an entry is of this game and has these moves. */
export function hasMoves({ kind, tree }, { kind: wanted, moves }) {
  let at = 0;
  for (const move of moves) {
    at = tree.moves.findIndex(([parent, other]) => parent === at && other === move) + 1;
    if (at === 0) return false;
  }
  return kind === wanted.id;
}

/** Whether something that was stored are moves, each with the number of the node that it follows. */
const areMoves = moves => Array.isArray(moves) && moves.every((move, index) =>
  Array.isArray(move) && Number.isInteger(move[0]) && move[0] >= 0 && move[0] <= index && isText(move[1]));

/** Whether something that was stored is a note. */
const isNote = note => isText(note?.comment) && Array.isArray(note.marks)
  && note.marks.every(mark => [mark?.point, mark?.kind, mark?.label].every(isText));

/** Whether something that was stored is a tree. */
const isTree = ({ rules, start, moves, shown, headers, last, view }) =>
  (rules === null || isText(rules)) && isText(start) && areMoves(moves) && areTexts(shown)
  && (last === null || areTexts(last)) && VIEWS.includes(view)
  && Object.values(headers?.notes ?? {}).every(isNote);

/** Whether something that was stored is the entry of a tree. */
const isEntry = entry => Object.hasOwn(KINDS, entry?.kind) && isText(entry.by)
  && isTree(entry.tree ?? {}) && isKeptGame(KINDS[entry.kind], entry.game ?? {});

/** What the browser has stored; null if that is nothing. */
function stored(key) {
  try {
    return JSON.parse(session.getItem(key));
  } catch {
    return null;
  }
}

/** The entries of the trees before and after the one that is shown. */
export class Shelf {
  #earlier;
  #later;

  constructor() {
    const { earlier, later } = stored(STORED) ?? {};
    // It may be of another version.
    const entries = stored => Array.isArray(stored) ? stored.filter(isEntry) : [];
    this.#earlier = entries(earlier);
    this.#later = entries(later);
  }

  /** The entry that `Undo` shows again; undefined if there is none. */
  get earlier() { return this.#earlier.at(-1); }

  /** The entry that `Redo` shows again. */
  get later() { return this.#later.at(-1); }

  /** All entries, the latest first. */
  get entries() { return [...this.#later, ...this.#earlier].reverse(); }

  /** Keeps a tree that another one replaces. Returns whether there was anything to keep. */
  put(entry) {
    if (!isWorthKeeping(entry)) return false;
    // What was undone is now earlier, too, and not lost.
    this.#earlier = [...this.#earlier, ...this.#later.reverse(), entry].slice(-MOST);
    this.#later = [];
    return true;
  }

  /** Takes out an entry. */
  remove(entry) {
    this.#earlier = this.#earlier.filter(other => other !== entry);
    this.#later = this.#later.filter(other => other !== entry);
  }

  /** Takes out the earlier entry, in whose place `shown` is a later one. */
  undo(shown) { this.#exchange(this.#earlier, this.#later, shown); }

  /** Takes out the later entry, in whose place `shown` is an earlier one. */
  redo(shown) { this.#exchange(this.#later, this.#earlier, shown); }

  #exchange(from, to, shown) {
    const { by } = from.pop();
    if (isWorthKeeping(shown)) to.push({ ...shown, by });
  }

  /**
   * Stores it for the next load of the page, with the entry of the tree that is shown, if there is one. Without room
   * for all, the tree that is shown comes first, and the oldest of the earlier ones are left out.
   */
  store(shown) {
    session.removeItem(STORED);
    storeIn(session, STORED_SHOWN, JSON.stringify(shown));
    const later = this.#later;
    for (let earlier = this.#earlier; !storeIn(session, STORED, JSON.stringify({ earlier, later })) && earlier.length;) {
      earlier = earlier.slice(1);
    }
  }
}

/** The entry of the tree that this tab showed before the page was loaded; null if there is none. */
export function shownBefore() {
  const entry = stored(STORED_SHOWN);
  return isEntry(entry) ? entry : null;
}
