// The address of a position: `#explore&start=...&moves=c3,d4&ply=1`; of Awari
// `#play&game=awari&rules=b_claim&moves=C,d`. With `from=file` it is one in the file that the server has.
// With `black=person&white=5` a game begins there, for these players: a person, `engine`, or one that the
// game has.

import { KINDS } from './kinds.js';

const VIEWS = ['play', 'explore', 'review', 'learn'];

/** What a part of an address stands for; itself if its percent signs stand for nothing. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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
  return {
    kind,
    view: VIEWS.includes(view) && kind.isSolved ? view : 'play',
    rules: kind.rules && (values.get('rules')?.replaceAll('_', ' ') ?? null),
    start: values.get('start')?.replaceAll('_', ' ') ?? null,
    moves: moves ? moves.split(',') : [],
    ply: ply ? Number(ply) : null,
    players: black && white && { black, white },
    isFromFile: values.get('from') === 'file',
    isEmpty: parts.length === 0,
  };
}

/** Writes the address of a node. In a game and in a review it has the moves that follow, too. */
export function addressOf(view, tree, node) {
  if (view === 'learn') return '#learn';
  const end = view === 'explore' ? node : tree.endFrom(node);
  const { moves } = end;
  const parts = [view];
  if (tree.isFromFile) parts.push('from=file');
  if (tree.kind !== KINDS.gothello) parts.push(`game=${tree.kind.id}`);
  if (tree.rules !== tree.kind.rules) parts.push(`rules=${tree.rules.replaceAll(' ', '_')}`);
  if (!tree.isWhole) parts.push(`start=${tree.start.replaceAll(' ', '_')}`);
  if (moves.length) parts.push(`moves=${moves.join(',')}`);
  if (node !== end) parts.push(`ply=${node.ply}`);
  return `#${parts.join('&')}`;
}
