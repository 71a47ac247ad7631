// The address of a position: `#explore&start=...&moves=c3,d4&ply=1`; of Awari
// `#play&game=awari&rules=b_claim&moves=C,d`. With `from=file` it is one in the file that the server has.
// With `tree=c3,d3(b2)&node=2` it has variations: in parentheses, what could follow in place of the move before
// them; the nodes are numbered as they are written. With `end=2` the game ends at node 2: what follows it was
// explored.
// A position that is set up in the middle is among the moves.
// With `black=person&white=5` a game begins there, for these players: a person, `engine`, or one that the
// game has.

import { embedded } from './embed.js';
import { KINDS } from './kinds.js';

// As many as a file may have.
export const MOST_NODES = 20_000;

export const VIEWS = ['play', 'explore', 'review', 'learn'];

/** What a part of an address stands for; itself if its percent signs stand for nothing. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads moves with variations: each with the number of the node that it follows. A parenthesis that matches no
 * other is ignored.
 */
function readTree(text) {
  const moves = [];
  const outer = [];
  let [parent, last] = [0, 0];
  for (const part of text.match(/[()]|[^(),]+/g) ?? []) {
    if (part === '(') {
      outer.push([parent, last]);
      last = parent;
    } else if (part === ')') {
      [parent, last] = outer.pop() ?? [parent, last];
    } else {
      moves.push([last, part.replaceAll('_', ' ')]);
      [parent, last] = [last, moves.length];
    }
  }
  return moves;
}

/** A step as addresses have it: the text of a position without spaces. */
const written = ({ move }) => move.replaceAll(' ', '_');

/** Writes what follows a node, as `readTree` reads it, and adds the nodes to `nodes` in order. */
function writeTree(node, nodes) {
  const parts = [];
  for (let at = node; at.children.length; [at] = at.children) {
    const [next, ...others] = at.children;
    nodes.push(next);
    const write = other => {
      nodes.push(other);
      return `(${[written(other), writeTree(other, nodes)].filter(Boolean).join()})`;
    };
    parts.push(written(next) + others.map(write).join(''));
  }
  return parts.join();
}

/** The moves that lead to a node of moves with variations. */
export function movesTo(tree, number) {
  const moves = [];
  for (let at = number; tree[at - 1]; [at] = tree[at - 1]) moves.push(tree[at - 1][1]);
  return moves.reverse();
}

/** Reads the address of the page. */
export function readAddress() {
  const [view, ...parts] = decoded(location.hash.slice(1)).split('&');
  const values = new Map(parts.map(part => {
    const at = part.indexOf('=');
    return [part.slice(0, at), part.slice(at + 1)];
  }));
  const kind = values.get('game') === 'awari' ? KINDS.awari : KINDS.gothello;
  const [black, white] = ['black', 'white'].map(color => {
    const player = values.get(color) === 'engine' ? kind.opponent : values.get(color);
    return kind.players.includes(player) ? player : null;
  });
  const moves = values.get('moves');
  const ply = values.get('ply');
  const tree = values.get('tree');
  return {
    kind,
    // In a frame, a click makes a move of either player.
    view: !kind.isSolved ? 'play' : VIEWS.includes(view) ? view : embedded ? 'explore' : 'play',
    rules: kind.rules && (values.get('rules')?.replaceAll('_', ' ') ?? null),
    start: values.get('start')?.replaceAll('_', ' ') ?? null,
    moves: moves ? moves.replaceAll('_', ' ').split(',') : [],
    ply: ply ? Number(ply) : null,
    tree: tree === undefined ? null : readTree(tree),
    node: Number(values.get('node') ?? 0),
    end: values.has('end') ? Number(values.get('end')) : null,
    players: black && white && { black, white },
    isFromFile: values.get('from') === 'file',
    isEmpty: parts.length === 0,
  };
}

/** The parts of an address that say which game it is of. */
function partsOf(tree) {
  const parts = [];
  if (tree.kind !== KINDS.gothello) parts.push(`game=${tree.kind.id}`);
  if (tree.rules !== tree.kind.rules) parts.push(`rules=${tree.rules.replaceAll(' ', '_')}`);
  if (!tree.isWhole) parts.push(`start=${tree.start.replaceAll(' ', '_')}`);
  return parts;
}

/** Writes the address of a node. In a game and in a review it has the moves that follow, too. */
export function addressOf(view, tree, node) {
  if (view === 'learn') return '#learn';
  const end = view === 'explore' ? node : tree.endFrom(node);
  const moves = end.path.slice(1).map(written);
  const parts = [view];
  if (tree.isFromFile) parts.push('from=file');
  parts.push(...partsOf(tree));
  if (moves.length) parts.push(`moves=${moves.join(',')}`);
  if (node !== end) parts.push(`ply=${node.ply}`);
  return `#${parts.join('&')}`;
}

/** Writes the address of a node with all variations, to be shared. */
export function sharedAddressOf(view, tree, node) {
  const nodes = [tree.root];
  const moves = writeTree(tree.root, nodes);
  const shown = view === 'play' && tree.kind.isSolved ? 'explore' : view;
  const parts = [shown, ...partsOf(tree)];
  if (moves) parts.push(`tree=${moves}`, `node=${nodes.indexOf(node)}`);
  if (tree.last?.children.length) parts.push(`end=${nodes.indexOf(tree.last)}`);
  return `#${parts.join('&')}`;
}
