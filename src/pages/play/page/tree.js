// The tree of moves: a start position, and variations from there. The server says what is legal,
// and what follows from a move.

import { ask } from './link.js';

// The most moves and set-ups that lead to a position: no longer line is answered.
const MOST_STEPS = 1_000;
// Each question has its whole line: so many wait for their answers at once.
const MOST_QUESTIONS = 32;

/** A position in the tree. `view` is what the server tells of it. */
class Node {
  children = [];

  constructor(parent, view) {
    this.parent = parent;
    this.view = view;
    this.ply = parent ? parent.ply + 1 : 0;
    // How many moves lead to it.
    this.number = parent ? parent.number + (view.by ? 1 : 0) : 0;
  }

  /** The move, or the text of the position that is set up; null at the root. */
  get move() { return this.view.move; }

  /** Whether the position is set up, after others. */
  get isSetUp() { return this.parent !== null && !this.view.by; }

  /** The nodes from the root to this one. */
  get path() {
    const nodes = [];
    for (let node = this; node; node = node.parent) nodes.unshift(node);
    return nodes;
  }

  get moves() { return this.path.slice(1).map(node => node.move); }

  /** The last node of the main continuation. */
  get end() {
    let node = this;
    while (node.children.length) [node] = node.children;
    return node;
  }

  /** Whether a variation leaves the main continuation. */
  get hasVariations() {
    let node = this;
    while (node.children.length === 1) [node] = node.children;
    return node.children.length > 1;
  }

  /** Whether the node is this one, or one that leads to it. */
  isUnder(node) { return this.path.includes(node); }
}

/** A tree with one node that is shown. */
export class Tree {
  // What the file of the game says besides its moves; null if it is not from a file.
  headers = null;
  // Whether it is from the file that the server has.
  isFromFile = false;
  // The moves to which the result in the headers belongs.
  resultOf = null;
  // Whether the game was played here.
  isPlayed = false;
  // The end of the game, if the moves that follow it are no part of it.
  last = null;
  // The view in which it was last shown.
  view = null;

  constructor(kind, rules, start, root) {
    // Which of the games it is of, and the variant of its rules if it has any.
    this.kind = kind;
    this.rules = rules;
    this.start = start;
    this.root = root;
    this.node = root;
  }

  /** Loads a line; without moves and a start, a new game. */
  static async load(kind, { rules = null, start = null, moves = [] }) {
    const tree = new Tree(kind, rules ?? kind.rules, start ?? kind.start, null);
    const { plies } = await ask({ ask: 'show', line: tree.#line(moves) });
    const root = new Node(null, plies[0]);
    let node = root;
    for (const view of plies.slice(1)) {
      const next = new Node(node, view);
      node.children.push(next);
      node = next;
    }
    tree.root = root;
    tree.node = node;
    return tree;
  }

  /** Loads a game with its variations: each move with the number of the node that it follows. */
  static async loadAll(kind, { rules = kind.rules, start, moves, headers }) {
    const depths = [0];
    let deepest = 0;
    const chains = [];
    moves.forEach(([parent], index) => {
      depths.push(depths[parent] + 1);
      deepest = Math.max(deepest, depths[index + 1]);
      const chain = chains.at(-1);
      if (chain && parent === index) chain.last = index + 1;
      else chains.push({ parent, first: index + 1, last: index + 1 });
    });
    if (!(deepest <= MOST_STEPS)) throw new Error(`a line has at most ${MOST_STEPS} moves, and this has ${deepest}`);
    const tree = new Tree(kind, rules, start, null);
    const show = ([last, from]) => {
      const line = [];
      for (let at = last; at > 0; [at] = moves[at - 1]) line.push(moves[at - 1][1]);
      return ask({ ask: 'show', line: tree.#line(line.reverse()), from });
    };
    const questions = [[0, 0], ...chains.map(({ first, last }) => [last, depths[first]])];
    const answers = [];
    while (answers.length < questions.length) {
      const next = questions.slice(answers.length, answers.length + MOST_QUESTIONS);
      answers.push(...await Promise.all(next.map(show)));
    }
    const [{ plies: [first] }, ...shown] = answers;
    const nodes = [new Node(null, first)];
    chains.forEach(({ parent }, index) => {
      let at = nodes[parent];
      for (const view of shown[index].plies) {
        const next = new Node(at, view);
        at.children.push(next);
        nodes.push(next);
        at = next;
      }
    });
    [tree.root] = nodes;
    tree.node = tree.root.end;
    tree.headers = headers;
    tree.resultOf = tree.node.moves.join();
    return tree;
  }

  /** What `restore` makes the tree from. */
  get stored() {
    const { rules, start, node, headers, resultOf, isFromFile, isPlayed, last, view } = this;
    return {
      rules, start, moves: this.#movesBefore(null), shown: node.moves,
      headers, resultOf, isFromFile, isPlayed, last: last?.moves ?? null, view,
    };
  }

  /** Loads a tree as it was. */
  static async restore(kind, { rules, start, moves, shown, headers, resultOf, isFromFile, isPlayed, last, view }) {
    const tree = await Tree.loadAll(kind, { rules, start, moves, headers });
    Object.assign(tree, { resultOf, isFromFile, isPlayed, view });
    tree.last = last && tree.find(last);
    tree.node = tree.find(shown) ?? tree.root.end;
    return tree;
  }

  /** All moves but those after the end of the game, as `loadAll` takes them. */
  get allMoves() { return this.#movesBefore(this.last); }

  /** All moves but those after `last`. */
  #movesBefore(last) {
    const moves = [];
    const add = (node, number) => {
      if (node === last) return;
      for (const child of node.children) {
        moves.push([number, child.move]);
        add(child, moves.length);
      }
    };
    add(this.root, 0);
    return moves;
  }

  /** The end of the game. */
  get end() { return this.last ?? this.root.end; }

  /** The end of the game if it leads through the node, else of the node's variation. */
  endFrom(node) { return this.end.isUnder(node) ? this.end : node.end; }

  /** The result that the file names, while the game is the one in the file. */
  get namedResult() {
    return this.resultOf === this.end.moves.join() ? this.headers?.result ?? null : null;
  }

  /** Whether the game starts where games do. */
  get isWhole() { return this.start === this.kind.start; }

  /** Whether the tree is of this game, with these rules and this start. */
  isOf(kind, { rules, start }) {
    return this.kind === kind && this.rules === (rules ?? kind.rules) && this.start === (start ?? kind.start);
  }

  /** Moves from the start, as the server reads them. */
  #line(moves) {
    const { kind, rules, start } = this;
    return rules ? { game: kind.id, rules, start, moves } : { start, moves };
  }

  /** The line to a node, as the server reads it. */
  lineTo(node) { return this.#line(node.moves); }

  /** The node after a move, which is added if it is new. */
  async after(node, move) {
    const known = node.children.find(child => child.move === move);
    if (known) return known;
    const line = this.#line([...node.moves, move]);
    const { plies } = await ask({ ask: 'show', line, from: line.moves.length });
    // Another click may have added it meanwhile.
    const added = node.children.find(child => child.move === move);
    if (added) return added;
    const next = new Node(node, plies[0]);
    node.children.push(next);
    return next;
  }

  /** Continues the game with a node that was a variation, but not with what follows it. */
  promote(node) {
    const { children } = node.parent;
    children.splice(children.indexOf(node), 1);
    children.unshift(node);
    this.last = node;
  }

  /** The node to which moves lead; null if they are not all in the tree. */
  find(moves) {
    let node = this.root;
    for (const move of moves) {
      node = node?.children.find(child => child.move === move);
    }
    return node ?? null;
  }

  /** Removes a node and what follows it. A game that it was part of ends before it. */
  remove(node) {
    const { parent } = node;
    const isOfGame = this.end.isUnder(node);
    parent.children.splice(parent.children.indexOf(node), 1);
    if (this.node.isUnder(node)) this.node = parent;
    if (isOfGame) this.last = parent.parent || parent.children.length ? parent : null;
  }

  /** Makes the line to a node, and what follows it, the main line. */
  makeMain(node) {
    for (const { parent, move } of node.path.slice(1)) {
      const { children } = parent;
      children.unshift(...children.splice(children.findIndex(child => child.move === move), 1));
    }
    // The game goes on after its end, or does not lead there.
    const { last } = this;
    if (last && (node !== last && node.isUnder(last) || !this.root.end.isUnder(last))) this.last = null;
  }
}
