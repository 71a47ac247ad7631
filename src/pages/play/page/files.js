// Files, which are read and written where the rules are.

import { el } from '../page/dom.js';
import { transfer } from './channel.js';
import { annotationsOf } from './notes.js';

/** What is read in a file, or in one of its games: `/1` is the second. */
export async function read(file, game = '') {
  const opened = JSON.parse(await (await transfer(`open${game}`, file)).text());
  if (opened.type === 'error') throw new Error(opened.why);
  return opened;
}

/** The file that a tree is saved as: the one that it is from, with all that the page does not show. */
export async function fileOf(tree, { players, result }) {
  const { headers, start, allMoves: moves } = tree;
  const { file = null, notes: _, ...own } = headers ?? {};
  const body = { file, start, moves, annotations: annotationsOf(tree, moves), headers: { ...own, players: own.players ?? players, result } };
  return transfer('save', JSON.stringify(body));
}

/** Saves a file on the visitor’s machine. */
export function saveFile(blob, name) {
  const url = URL.createObjectURL(blob);
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
