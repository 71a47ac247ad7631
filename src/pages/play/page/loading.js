// Trees from elsewhere: from addresses, from files, and from before the page was loaded again.

import { notice } from '../page/notices.js';
import { chooseGame } from './collection.js';
import { read } from './files.js';
import { KINDS } from './kinds.js';
import { notesOf } from './notes.js';
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

/** Loads the tree that the server has read, and says of the file of this name what is to be said. */
async function loadRead(name, { file, start, moves, annotations, headers, left_out: leftOut }) {
  const tree = await Tree.loadAll(KINDS.gothello, { start, moves, headers });
  tree.headers = file && { ...headers, file, notes: notesOf({ moves, annotations }) };
  if (file?.is_detected) notice(`${name} does not name its encoding: it is read as ${file.encoding}.`);
  for (const text of leftOut) notice(`${name}: ${text}`);
  return tree;
}

/** Loads the first game in the file that the server has; null if it has none that the page can take. */
export async function loadFromServer() {
  try {
    const response = await fetch('game');
    if (!response.ok) return null;
    const loaded = await loadRead('The file', await read(await response.blob(), '/0'));
    loaded.isFromFile = true;
    return loaded;
  } catch (error) {
    notice(`The file: ${error.message}`);
    return null;
  }
}

/**
 * Opens a file, or a text that was pasted: `openAwari(rules, moves)` or `openGothello(tree)` shows it, if it
 * `isWanted()` still. Of several games, people choose one. Says why it cannot, or what is left out.
 */
export async function openFile(file, { isWanted, openAwari, openGothello }) {
  try {
    let opened = await read(file);
    if (!isWanted()) return;
    if (opened.type === 'games') {
      const game = await chooseGame(file.name, opened.games);
      if (game === null) return;
      opened = await read(file, `/${game}`);
    }
    if (!isWanted()) return;
    if (opened.type === 'awari') return await openAwari(opened);
    const tree = await loadRead(`“${file.name}”`, opened);
    if (isWanted()) openGothello(tree);
  } catch (error) {
    notice(`“${file.name}”: ${error.message}`);
  }
}
