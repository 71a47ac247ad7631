// What is drawn of the state of the page.

import { counted } from '../page/counted.js';
import { byId, setAttribute, setText } from '../page/dom.js';
import { PlayBoard } from './board.js';
import { Seats } from './game.js';
import { drawMoves } from './moves.js';
import { drawnNotes } from './notes.js';
import { PitBoard } from './pits.js';
import { SWITCHES } from './store.js';
import { describe, format, kindOf, negated } from './values.js';

const disable = (id, isDisabled) => setAttribute(byId(id), 'aria-disabled', isDisabled ? 'true' : null);

/** What undoes or redoes the replacement of a tree: of one by a link, what is shown then. */
const labelOf = (id, { by }) => by === 'link'
  ? id === 'undo' ? 'Earlier game' : 'Later game'
  : `${id === 'undo' ? 'Undo' : 'Redo'} ${by}`;

/** Bounds for the player to move, as they are shown. */
const seen = ({ switches, position }, bounds) =>
  switches['black-view'] && position.turn === 'white' ? negated(bounds) : bounds;

/** What is written on points: values, or liberties, and the marks of a file. */
function marksOf(store) {
  const { position, switches, values } = store;
  const marks = drawnNotes(store);
  if (switches['show-liberties']) {
    for (const { stones, liberties } of position.groups) {
      const count = liberties.length;
      const kind = count === 1 ? 'liberties atari' : 'liberties';
      const mark = { text: String(count), kind, label: counted(count, 'liberty', 'liberties') };
      for (const stone of stones) marks.set(stone, { ...marks.get(stone), ...mark });
    }
  }
  if (!store.showsValues || !position.turn) return marks;
  const known = values.of(position);
  for (const point of Object.keys(position.legal)) {
    const bounds = seen(store, known?.bounds.get(point) ?? [-25, 25]);
    const text = format(bounds);
    const isBest = known?.best.includes(point);
    const kind = ['value', kindOf(bounds), isBest ? 'best' : '', isBest && known.hardest === point ? 'hardest' : ''].join(' ');
    marks.set(point, { ...marks.get(point), text, kind, label: `${text === '?' ? 'value not yet known' : `value ${text}`}${isBest ? ', best' : ''}` });
  }
  return marks;
}

/** The points that stand out: what the stone under the pointer would capture, or its group. */
function highlighted({ lookedAt, position, canPlace, switches }) {
  if (!lookedAt) return new Set();
  if (canPlace && position.legal[lookedAt]) return new Set(position.legal[lookedAt]);
  if (!switches['show-liberties']) return new Set();
  return new Set(position.groups.find(({ stones }) => stones.includes(lookedAt))?.liberties);
}

/** What is said of the value of the position. */
function describeValue(known, turn, isWaiting) {
  if (!known) return isWaiting ? 'Waiting for other searches' : 'Thinking …';
  const text = describe(turn === 'black' ? known.value : negated(known.value));
  const sentence = text[0].toUpperCase() + text.slice(1);
  if (!known.isExact) return `${sentence} · ${isWaiting ? 'waiting for other searches' : 'thinking …'}`;
  if (known.best.length === 1) return `${sentence} · best move ${known.best[0]}`;
  const hardest = known.hardest ? `, hardest to answer: ${known.hardest}` : '';
  return `${sentence} · ${known.best.length} best moves${hardest}`;
}

function drawValue(store) {
  const { isSetup, position, values, isWaiting, bestLine, showsValues } = store;
  const known = values.of(position);
  const bounds = showsValues && !isSetup && known?.bounds.get('pass');
  setText(byId('pass'), bounds ? `Pass ${format(seen(store, bounds))}` : 'Pass');
  const isShown = showsValues && !isSetup && position.turn !== null;
  byId('value-row').hidden = !isShown;
  if (!isShown) return;
  setText(byId('value'), describeValue(known, position.turn, isWaiting));
  setText(byId('best-line'), bestLine ? `Best line: ${bestLine}` : ' ');
}

/** Draws which game it is. What only Gothello has is hidden by the style. */
function drawKind({ id, name }, board) {
  setAttribute(document.body, 'data-kind', id);
  setText(document.querySelector('h1'), name);
  if (document.title !== name) document.title = name;
  if (!board.node.isConnected) byId('board').replaceChildren(board.node);
}

/** Draws that everything else waits for the end of a game with clocks. */
function drawTimed(isTimed) {
  byId('timed').hidden = !isTimed;
  byId('open').disabled = byId('show-values').disabled = isTimed;
  for (const link of document.querySelectorAll('.views a:not([data-view=play])')) {
    setAttribute(link, 'aria-disabled', isTimed ? 'true' : null);
  }
}

/** Draws what belongs to the view. */
function drawView({ view, isSetup }) {
  for (const panel of document.querySelectorAll('[data-panel]')) {
    panel.hidden = isSetup || !panel.dataset.panel.split(' ').includes(view);
  }
  for (const link of document.querySelectorAll('[data-view]')) {
    setAttribute(link, 'aria-current', link.dataset.view === view ? 'page' : null);
  }
  byId('setup').hidden = !isSetup;
  byId('moves').hidden = isSetup || view === 'learn';
  byId('switches').hidden = view === 'learn';
}

/** Draws which commands there are. */
function drawCommands(store) {
  const { view, tree, node, game, isSetup, isAtEnd } = store;
  disable('pass', !store.canPlace);
  byId('first').disabled = byId('back').disabled = isSetup || !node.parent;
  byId('last').disabled = byId('forth').disabled = isSetup || isAtEnd;
  for (const id of SWITCHES) byId(id).checked = store.switches[id] && !byId(id).disabled;
  byId('black-view-label').hidden = !store.showsValues;
  byId('pause').hidden = !game.isDemo;
  setText(byId('pause'), game.isPaused ? 'Go on' : 'Pause');
  setAttribute(byId('pause'), 'aria-pressed', game.isPaused);
  disable('take-back', !store.lastOfPerson);
  disable('resign', game.isDemo);
  byId('resign').hidden = store.isOver;
  byId('review-game').hidden = byId('play-again').hidden = !store.isOver;
  for (const [id, entry] of [['undo', store.shelf.earlier], ['redo', store.shelf.later]]) {
    byId(id).hidden = !entry || !store.canRestore;
    if (entry) setText(byId(id), labelOf(id, entry));
  }
  const isStart = view === 'play' && node.parent === null && !game.isTimed;
  byId('learn-hint').hidden = !isStart || !tree.kind.isSolved;
  byId('tablebase-hint').hidden = !store.tellsOfTablebase || !store.showsValues;
  byId('awari-hint').hidden = !isStart || tree.kind.isSolved;
}

export class Screen {
  // Those of the games that have been shown.
  #boards = {};
  #seats = new Seats();
  #parts;
  #on;

  /** `on` has the functions for what people do: `place(point)`, `look(point)`, `go(node)`. */
  constructor({ setup, lesson, reviews, notes }, on) {
    // Until something is shown, nothing can be done with it.
    document.querySelector('main').inert = true;
    this.#parts = { setup, lesson, reviews, notes, go: on.go };
    this.#on = on;
  }

  /** The board of a game. */
  #boardOf(kind) {
    return this.#boards[kind.id] ??= kind.isSolved ? new PlayBoard(this.#on) : new PitBoard(this.#on);
  }

  /** The board of the game that is shown. */
  boardOf({ tree: { kind } }) { return this.#boardOf(kind); }

  /** Shows the board of a game before there is a position. */
  prepare(kind) { drawKind(kind, this.#boardOf(kind)); }

  draw(store) {
    const { activeElement } = document;
    const { view, tree, node, isSetup, main } = store;
    const { setup, lesson, reviews, go } = this.#parts;
    const board = this.boardOf(store);
    drawKind(tree.kind, board);
    document.querySelector('main').inert = false;
    drawTimed(store.game.isTimed);
    drawView(store);
    if (isSetup) board.draw(setup.view, new Map(), true, setup.wrong);
    else board.draw(store.position, marksOf(store), store.canPlace, highlighted(store), node.parent?.view);
    setAttribute(byId('board'), 'data-past', view === 'play' && !store.isAtEnd ? 'true' : null);
    this.drawSeats(store);
    setText(byId('phase'), store.phase);
    setText(byId('remark'), store.remark);
    drawValue(store);
    drawCommands(store);
    if (view === 'learn') lesson.draw(node);
    const review = view === 'review' && !isSetup ? reviews.of(tree.lineTo(tree.end)) : null;
    this.#parts.notes.draw(store);
    drawMoves(tree, node, go, reviews.marks(review, main));
    // A variation has no place in the graph.
    const branch = node.path.filter(found => main.includes(found)).at(-1);
    reviews.draw(review, main, branch.ply, ply => go(store.main[ply]));
    // An element that cannot have the focus anymore leaves it to the board and what is below it.
    if (activeElement?.closest('[hidden], :disabled')) byId('stage').focus({ preventScroll: true });
  }

  /** Draws the players, whose clocks change without anything else. */
  drawSeats({ view, tree, game, isSetup, position, liveNode, isThinking }) {
    const shown = isSetup ? this.#parts.setup.view : position;
    this.#seats.draw(tree.kind, shown, view === 'play' ? game : null,
      view === 'learn' ? null : tree.headers?.players, (liveNode?.view ?? shown).turn, isThinking);
  }
}
