// Trees from elsewhere: from addresses, from files, and from before the page was loaded again.

import { notice } from '../page/notices.js';
import { firstGame } from './collection.js';
import { decode } from './encoding.js';
import { KINDS } from './kinds.js';
import { ask } from './link.js';
import { Tree } from './tree.js';

/** Loads the longest legal beginning of an illegal line; null if not even its first move is legal. */
export async function loadBeginning(kind, { rules, start, moves }) {
  let [found, legal, illegal] = [null, 0, moves.length];
  while (illegal - legal > 1) {
    const middle = (legal + illegal) >> 1;
    try {
      found = await Tree.load(kind, { rules, start, moves: moves.slice(0, middle) });
      legal = middle;
    } catch {
      illegal = middle;
    }
  }
  return found;
}

/** Loads the game in the file that the server has; null if it has none that the page can take. */
export async function loadFromServer() {
  try {
    const response = await fetch('game');
    if (!response.ok) return null;
    const read = await ask({ ask: 'read', sgf: await response.text() });
    const loaded = await Tree.loadAll(KINDS.gothello, read);
    loaded.isFromFile = true;
    for (const text of read.left_out) notice(text);
    return loaded;
  } catch (error) {
    notice(`The file: ${error.message}`);
    return null;
  }
}

// The largest file in bytes: a collection of many games.
const MAX_FILE = 64 * 1024 * 1024;

/**
 * Opens the first game of a file: `openAwari(rules, moves)` or `openGothello(tree)` shows it. Says why it
 * cannot, or what is left out.
 */
export async function openFile(file, { openAwari, openGothello }) {
  if (file.size > MAX_FILE) return notice(`“${file.name}” has more than ${MAX_FILE} bytes`);
  try {
    const { first, count } = firstGame(decode(new Uint8Array(await file.arrayBuffer())));
    const read = await ask({ ask: 'read', sgf: first });
    if (read.type === 'awari') return await openAwari(read);
    openGothello(await Tree.loadAll(KINDS.gothello, read));
    const others = count > 1 ? [`of ${count} games in the file, this is the first`] : [];
    for (const text of [...others, ...read.left_out]) notice(`“${file.name}”: ${text}`);
  } catch (error) {
    notice(`“${file.name}”: ${error.message}`);
  }
}
