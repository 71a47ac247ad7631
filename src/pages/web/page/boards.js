// The board of a table, and descriptions of its moves and its state.

import { AwariBoard } from './awari.js';
import { StoneBoard, vertex } from './goban.js';
import { took } from './clock.js';

const EMPTY = { board: '', text: '', at: null, by: null, scores: null, prisoners: null };

/** A board for a table. */
export const boardFor = (table, small) =>
  table.kind === 'awari' ? new AwariBoard(table, small) : new StoneBoard(table, small);

/** A key of the board: as long as it is the same, the board can show the table. */
export const shapeOf = ({ kind, rows, columns }) => `${kind} ${rows} ${columns}`;

/** The ratio of the board's width to its height. */
export const ratioOf = ({ kind, rows, columns }) => kind === 'awari' ? 386 / 144 : columns / rows;

/** The ply with this number; the last one for `null`. */
export const plyOf = (table, number) => table.plies[number ?? table.plies.length - 1] ?? EMPTY;

/** Describes a move; points of Go as in GTP, and if they are numbered as in the protocol, too. */
export function moveOf(table, { by, at, move }) {
  if (by == null) return '';
  const who = table.seats[by].title;
  if (move === 'pass') return `${who} passes`;
  if (move === 'resign') return `${who} resigns`;
  return `${who} ${table.kind === 'go' && table.numbered && at ? `${vertex(at, table.rows)} (${at.join(',')})` : move}`;
}

/** The line below the board: the number of the ply, the move, and its time. */
export function describePly(table, number) {
  const last = table.plies.length - 1;
  if (last < 0) return '';
  const shown = number ?? last;
  const ply = plyOf(table, shown);
  const parts = [shown === 0 ? (last === 0 ? 'No move yet' : `Start of ${last} moves`) : `Move ${shown} of ${last}`];
  if (ply.by != null) parts.push(moveOf(table, ply));
  if (ply.used_ms != null) parts.push(took(ply.used_ms));
  return parts.join(' · ');
}

/** A score: whole numbers without a point. */
export const score = number => number == null ? '–' : String(Math.round(number * 100) / 100);

const PHASES = { waiting: 'Waiting', playing: 'Playing', paused: 'Paused', over: 'Over' };

/** Describes the state of a table. */
export function phaseOf(table) {
  if (table.result) return table.phase === 'over' ? table.result : `${PHASES[table.phase]}: ${table.result}`;
  if (table.phase === 'playing' && table.turn != null) return `${table.seats[table.turn].title} to move`;
  return PHASES[table.phase] ?? table.phase;
}
