// The page: its views, the tree of moves, and what is shown of the position.

import { counted } from '../page/counted.js';
import { byId, el, setAttribute, setText } from '../page/dom.js';
import { listen } from '../page/keys.js';
import { confirm, notice } from '../page/notices.js';
import { nextTheme, showTheme } from '../page/theme.js';
import { addressOf, readAddress } from './address.js';
import { PlayBoard } from './board.js';
import { firstGame } from './collection.js';
import { decode } from './encoding.js';
import { Game, Seats, describeResult, opponentOf } from './game.js';
import { KINDS } from './kinds.js';
import { Lesson } from './learn.js';
import { ask, keep, startSearch, stopReview, stopSearch } from './link.js';
import { drawMoves } from './moves.js';
import { PitBoard } from './pits.js';
import { Reviews } from './review.js';
import { Setup } from './setup.js';
import { Tree } from './tree.js';
import { Values, describe, format, kindOf, negated } from './values.js';

showTheme();

// Each game has its players and clocks, and its board; `game` is of the one that is shown.
const games = { gothello: new Game(KINDS.gothello), awari: new Game(KINDS.awari) };
let game = Object.values(games).find(({ isTimed }) => isTimed) ?? games.gothello;
const seats = new Seats();
const values = new Values();
const boards = { gothello: new PlayBoard({ place, look }), awari: new PitBoard({ place, look }) };
const reviews = new Reviews(ply => go(main()[ply] ?? main().at(-1)));
const setup = new Setup({ onChange: draw, onDone: text => open({ start: text, moves: [] }) });

const lesson = new Lesson({
  open: start => open({ start, moves: [] }, { push: false }),
  finish: () => document.querySelector('[data-view=play]').click(),
});
// The tree that is shown again after the lesson.
let kept = null;

let view = 'play';
let tree = null;
// What the search of the moment is about: its kind and the node, so that it is not started twice.
let searching = { kind: null, node: null };
// The end of the game that is being reviewed.
let reviewing = null;
// What is said below the turn: why a move is illegal, or that a search waits.
let remark = '';
let isWaiting = false;
// The point under the pointer or with the focus, and the best line from there.
let lookedAt = null;
let bestLine = null;
// The node and the point whose best line took too long while values are still sought.
let tooLong = { node: null, point: null };
let engineTimer;

/** Stops the search about a position, and the move of the engine that it was for. */
function halt() {
  clearTimeout(engineTimer);
  stopSearch();
  searching = { kind: null, node: null };
}

const node = () => tree.node;
const board = () => boards[tree.kind.id];
/** The nodes of the main line. */
const main = () => tree.end.path;
/** The main line, and its review if that is known. */
const mainLine = () => tree.lineTo(tree.end);
const reviewOf = () => view === 'review' && !setup.isOpen ? reviews.of(mainLine()) : null;
const isAtEnd = () => view === 'play' ? node() === tree.endFrom(node()) : node().children.length === 0;
const showsValues = () => tree.kind.isSolved && view !== 'learn' && byId('show-values').checked;

/** The position in which the game goes on; null if nobody is to move, or another one is shown. */
function liveNode() {
  // A game with clocks goes on whatever its player looks at.
  const end = game.isTimed ? tree.endFrom(node()) : node();
  return view === 'play' && end.view.turn && !game.ended && end === tree.endFrom(end) ? end : null;
}

/** Whether a click places a stone. */
function canPlace() {
  if (setup.isOpen || !node().view.turn) return false;
  if (view === 'play') return node() === liveNode() && !game.isEngine(node().view.turn);
  return view !== 'learn' || !node().parent;
}

/* What is drawn. */

function draw() {
  if (!tree) return;
  drawKind();
  drawTimed();
  const shown = setup.isOpen ? setup.view : node().view;
  for (const panel of document.querySelectorAll('[data-panel]')) {
    panel.hidden = setup.isOpen || !panel.dataset.panel.split(' ').includes(view);
  }
  for (const link of document.querySelectorAll('[data-view]')) {
    setAttribute(link, 'aria-current', link.dataset.view === view ? 'page' : null);
  }
  byId('setup').hidden = !setup.isOpen;
  board().draw(shown, setup.isOpen ? new Map() : marks(), setup.isOpen || canPlace(), setup.isOpen ? setup.wrong : highlighted());
  setAttribute(byId('board'), 'data-past', view === 'play' && !isAtEnd() ? 'true' : null);
  drawSeats(shown);
  setText(byId('phase'), phase());
  setText(byId('remark'), remark);
  drawValue();
  const cannotPass = setup.isOpen || !canPlace();
  setAttribute(byId('pass'), 'aria-disabled', cannotPass ? 'true' : null);
  setText(byId('pass'), passText());
  byId('first').disabled = byId('back').disabled = setup.isOpen || !node().parent;
  byId('last').disabled = byId('forth').disabled = setup.isOpen || isAtEnd();
  byId('black-view-label').hidden = !showsValues();
  byId('pause').hidden = !game.isDemo;
  setText(byId('pause'), game.isPaused ? 'Go on' : 'Pause');
  setAttribute(byId('pause'), 'aria-pressed', game.isPaused);
  setAttribute(byId('take-back'), 'aria-disabled', lastOfPerson() ? null : 'true');
  const isOver = game.ended || !tree.endFrom(node()).view.turn;
  setAttribute(byId('resign'), 'aria-disabled', isOver || game.isDemo ? 'true' : null);
  if (view === 'learn') lesson.draw(node());
  const review = reviewOf();
  drawMoves(byId('moves'), tree, node(), go, reviews.marks(review, main()));
  // A variation has no place in the graph.
  const branch = node().path.filter(found => main().includes(found)).at(-1);
  reviews.draw(review, branch.ply, ply => go(main()[ply]));
  byId('moves').hidden = setup.isOpen || view === 'learn';
  byId('switches').hidden = view === 'learn';
  const isStart = view === 'play' && node().parent === null && !game.isTimed;
  byId('learn-hint').hidden = !isStart || !tree.kind.isSolved;
  byId('awari-hint').hidden = !isStart || tree.kind.isSolved;
}

/** Shows which game it is. What only Gothello has is hidden by the style. */
function drawKind() {
  const { id, name } = tree.kind;
  setAttribute(document.body, 'data-kind', id);
  setText(document.querySelector('h1'), name);
  if (document.title !== name) document.title = name;
  if (!board().node.isConnected) byId('board').replaceChildren(board().node);
}

/** Shows that everything else waits for the end of a game with clocks. */
function drawTimed() {
  const { isTimed } = game;
  byId('timed').hidden = !isTimed;
  byId('open').disabled = isTimed;
  for (const link of document.querySelectorAll('.views a:not([data-view=play])')) {
    setAttribute(link, 'aria-disabled', isTimed ? 'true' : null);
  }
  if (byId('show-values').disabled === isTimed) return;
  byId('show-values').disabled = isTimed;
  readSwitches();
}

const drawSeats = shown => seats.draw(tree.kind, shown, view === 'play' ? game : null,
  view === 'learn' ? null : tree.headers?.players, (liveNode()?.view ?? shown).turn);

/** Whose turn it is, or how the game ended, and what the last move did. */
function phase() {
  if (setup.isOpen) return 'Setting up';
  const { names, effectOf } = tree.kind;
  const { view: { by, move, turn, result, last_pass: lastPass } } = node();
  const named = view !== 'play' && node() === tree.end ? describeResult(tree.kind, namedResult()) : null;
  const ended = view === 'play' && isAtEnd() ? game.resultOf(node().view) : result ?? named;
  const last = by && (move === 'pass' ? `${names[by]} passed. ` : `${names[by]} ${move}${effectOf(node().view)}. `);
  if (ended) return `${last && !game.ended ? last : ''}${ended}`;
  return `${last ?? ''}${names[turn]} to move${lastPass ? '; a pass ends the game' : ''}`;
}

/** The result of the game, if the board does not tell: of a file, or of a game that was given up. */
const namedResult = () => tree.namedResult ?? (tree.isPlayed ? game.sgfResult(tree.end.moves) : null);

const passText = () => {
  const bounds = showsValues() && !setup.isOpen && values.of(node().view)?.bounds.get('pass');
  return bounds ? `Pass ${format(seen(bounds))}` : 'Pass';
};

/** Bounds for the player to move, as they are shown. */
const seen = bounds =>
  byId('black-view').checked && node().view.turn === 'white' ? negated(bounds) : bounds;

/** What is written on points: values, or liberties. */
function marks() {
  const marks = new Map();
  const { view: shown } = node();
  if (byId('show-liberties').checked) {
    for (const { stones, liberties } of shown.groups) {
      for (const stone of stones) {
        const count = liberties.length;
        marks.set(stone, {
          text: String(count), kind: count === 1 ? 'liberties atari' : 'liberties',
          label: counted(count, 'liberty', 'liberties'),
        });
      }
    }
  }
  if (!showsValues() || !shown.turn) return marks;
  const known = values.of(shown);
  for (const point of Object.keys(shown.legal)) {
    const bounds = known?.bounds.get(point) ?? [-25, 25];
    const text = format(seen(bounds));
    const isBest = known?.best.includes(point);
    const kind = ['value', kindOf(seen(bounds)), isBest ? 'best' : '', isBest && known.hardest === point ? 'hardest' : ''].join(' ');
    marks.set(point, { text, kind, label: `${text === '?' ? 'value not yet known' : `value ${text}`}${isBest ? ', best' : ''}` });
  }
  return marks;
}

/** The points that stand out: what the stone under the pointer would capture, or its group. */
function highlighted() {
  const { view: shown } = node();
  if (!lookedAt) return new Set();
  if (canPlace() && shown.legal[lookedAt]) return new Set(shown.legal[lookedAt]);
  if (!byId('show-liberties').checked) return new Set();
  return new Set(shown.groups.find(({ stones }) => stones.includes(lookedAt))?.liberties);
}

/** The value of the position, and the best line. */
function drawValue() {
  const isShown = showsValues() && !setup.isOpen && node().view.turn !== null;
  byId('value-row').hidden = !isShown;
  if (!isShown) return;
  const known = values.of(node().view);
  const { turn } = node().view;
  let text = 'Thinking …';
  if (known) {
    const bounds = turn === 'black' ? known.value : negated(known.value);
    text = describe(bounds);
    text = text[0].toUpperCase() + text.slice(1);
    if (!known.isExact) text += isWaiting ? ' · waiting for other searches' : ' · thinking …';
    else if (known.best.length > 1) {
      text += ` · ${known.best.length} best moves`;
      if (known.hardest) text += `, hardest to answer: ${known.hardest}`;
    } else text += ` · best move ${known.best[0]}`;
  } else if (isWaiting) text = 'Waiting for other searches';
  setText(byId('value'), text);
  setText(byId('best-line'), bestLine ? `Best line: ${bestLine}` : ' ');
}

/* Moves. */

/** Shows a node. `push` adds an address that the back button returns from; `note` is said of it. */
function go(to, { push = view === 'explore' || view === 'review', note = '' } = {}) {
  tree.node = to;
  if (game !== games[tree.kind.id]) {
    game.leave();
    game = games[tree.kind.id];
  }
  if (view === 'play') {
    game.follow(tree.endFrom(to));
    tree.isPlayed = true;
    // A game that has begun changes by what is played alone, and by nothing that is explored.
    if (tree.end.parent) tree.last = tree.end;
  }
  remark = note;
  bestLine = null;
  const address = addressOf(view, tree, to);
  if (address !== location.hash) history[push ? 'pushState' : 'replaceState'](null, '', address);
  draw();
  proceed();
}

/** Does what follows from the position that is shown: the engine moves, or values are found. */
function proceed() {
  const live = liveNode();
  const isOn = live !== null && !game.isPaused;
  game.runClock(isOn && game.line && game.hasBegun ? live.view.turn : null);
  findCosts();
  if (isOn && game.isEngine(live.view.turn)) return letEngineMove(live);
  findValues();
}

// The engine loses no game by its pace: it waits at most this part of the time that is left.
const PACE_SHARE = 30;

function letEngineMove(asked) {
  if (searching.kind === 'move' && searching.node === asked) return;
  searching = { kind: 'move', node: asked };
  isWaiting = false;
  const since = performance.now();
  const line = tree.lineTo(asked);
  const played = game;
  const question = {
    ask: 'move', line, ...tree.kind.strengthOf(game.players[asked.view.turn]),
    // If the connection is lost meanwhile, the question is sent again with what is left then.
    get left() { return played.timeLeft(asked.view.turn); },
  };
  startSearch(question, response => {
    if (response.type === 'waiting' || response.type === 'busy') {
      remark = 'The engine waits for its turn to think';
      return draw();
    }
    if (response.type === 'error') return notice(response.why);
    const left = game.timeLeft(asked.view.turn);
    const pace = left === null ? game.pace : Math.min(game.pace, left / PACE_SHARE);
    const wait = pace - (performance.now() - since);
    const note = response.is_estimate ? 'The engine had no time to prove this move: it is an estimate.' : '';
    const move = () => play(response.move, { from: asked, note });
    // The timers of a page that nobody sees are late, and its clock runs.
    if (wait <= 0 || document.hidden) move();
    else engineTimer = setTimeout(move, wait);
  });
}

/** Finds the values of the moves, if they are shown and not known. */
function findValues() {
  clearTimeout(engineTimer);
  const asked = node();
  const known = values.of(asked.view);
  if (!showsValues() || !asked.view.turn || known?.done || setup.isOpen) {
    if (searching.kind !== null) halt();
    return;
  }
  if (searching.kind === 'values' && searching.node === asked) return;
  searching = { kind: 'values', node: asked };
  isWaiting = false;
  startSearch({ ask: 'values', line: tree.lineTo(asked) }, response => {
    if (response.type === 'error') return notice(response.why);
    isWaiting = response.type !== 'values';
    if (!isWaiting) {
      values.update(asked.view, response);
      if (response.done && searching.node === asked) searching = { kind: null, node: null };
    }
    draw();
    findBestLine();
  });
}

/** Finds what each move of the game cost, where that is shown. */
function findCosts() {
  if (view !== 'review' || setup.isOpen || reviews.of(mainLine())?.done) {
    reviewing = null;
    return stopReview();
  }
  if (reviewing === tree.end) return;
  reviewing = tree.end;
  const line = mainLine();
  startSearch({ ask: 'review', line }, response => {
    if (response.type === 'error') return notice(response.why);
    if (response.type === 'review') reviews.update(line, response);
    draw();
  });
}

// The longest time for a best line while values are still sought, in milliseconds.
const LINE_TIME = 1_500;
let lineTimer;

/** Finds best play after the move that is looked at, once the value of the move is known. */
function findBestLine() {
  const asked = node();
  const point = lookedAt;
  const known = values.of(asked.view);
  const [low, high] = known?.bounds.get(point) ?? [-25, 25];
  if (!showsValues() || low !== high || !asked.view.legal[point] || setup.isOpen || bestLine) return;
  if (searching.kind === 'move' || searching.kind === 'line') return;
  if (!known.done && tooLong.node === asked && tooLong.point === point) return;
  searching = { kind: 'line', node: asked };
  clearTimeout(lineTimer);
  if (!known.done) {
    lineTimer = setTimeout(() => {
      if (searching.kind !== 'line' || searching.node !== asked || lookedAt !== point) return;
      tooLong = { node: asked, point };
      findValues();
    }, LINE_TIME);
  }
  const line = { ...tree.lineTo(asked), moves: [...asked.moves, point] };
  startSearch({ ask: 'best-line', line }, response => {
    if (response.type !== 'best-line') return;
    searching = { kind: null, node: null };
    if (node() === asked && lookedAt === point) {
      bestLine = [point, ...response.moves].join(' ');
      draw();
    }
    // The values that are not known yet are sought again.
    proceed();
  });
}

let lookTimer;
/** The pointer or the focus is on a point, or on none. */
function look(point) {
  if (lookedAt === point || !tree) return;
  lookedAt = point;
  bestLine = null;
  draw();
  if (searching.kind === 'line') findValues();
  clearTimeout(lookTimer);
  // The pointer crosses many points on its way.
  if (point) lookTimer = setTimeout(findBestLine, 150);
}

/** Whether a move waits for the server. */
let isMoving = false;

/** Plays a move from the node that is shown, or from that in which the game goes on. `note` is said of it. */
async function play(move, { from = node(), note = '' } = {}) {
  // In a game with clocks a second click does not replace the move.
  if (game.isTimed && isMoving) return;
  const fallen = game.tick();
  if (fallen) return flagFalls(fallen);
  const color = from.view.turn;
  const isEnd = from === tree.end;
  const isFinished = view === 'review' || view === 'explore' && namedResult() !== null;
  isMoving = true;
  try {
    const next = await tree.after(from, move);
    // It may have been taken back meanwhile, or another view is shown.
    const isThere = game.isTimed ? tree.find(from.moves) === from : node() === from;
    if (!isThere || view === 'play' && game.ended) return;
    if (view === 'play') game.moved(color, next.ply);
    // A move after a game that is finished or under review is no part of it; one that is played continues it.
    if (isEnd && isFinished && !tree.last && from.children.length === 1) tree.last = from;
    if (view === 'play' && from === tree.last) tree.promote(next);
    go(next, { note });
  } catch (error) {
    remark = error.message;
    draw();
  } finally {
    isMoving = false;
  }
}

/** A point was clicked. */
function place(point) {
  if (setup.isOpen) return setup.click(point);
  const { view: shown } = node();
  if (!canPlace()) {
    remark = whyNot();
    return draw();
  }
  if (shown.illegal[point]) {
    remark = tree.kind.explain(shown.illegal[point]);
    return draw();
  }
  if (!shown.legal[point]) {
    remark = `There is a stone at ${point}.`;
    return draw();
  }
  play(point);
}

/** Why no move can be made now. */
function whyNot() {
  if (view === 'learn') return 'Start again to try another move.';
  if (!isAtEnd()) {
    const explore = tree.kind.isSolved && !game.isTimed ? ', or explore from here' : '';
    return `This is an earlier position: go to the end, ${explore ? '' : 'or '}take back${explore}.`;
  }
  if (!node().view.turn || game.ended) return 'The game is over.';
  return `It is ${tree.kind.names[node().view.turn]}’s turn: the engine is thinking.`;
}

/* The commands. */

/** The last node at which a person was to move, before the end; null if there is none. */
function lastOfPerson() {
  if (game.isDemo) return null;
  let at = tree.endFrom(node()).parent;
  while (at && game.isEngine(at.view.turn)) at = at.parent;
  return at;
}

const isRefused = id => byId(id).getAttribute('aria-disabled') === 'true';

byId('pass').onclick = () => {
  if (isRefused('pass')) {
    remark = whyNot();
    return draw();
  }
  play('pass');
};

byId('take-back').onclick = () => {
  const to = lastOfPerson();
  if (!to) return;
  // Nobody thinks about what is taken back.
  halt();
  const note = game.seconds && !game.line ? 'The game goes on without clocks.' : '';
  game.takeBack(to.view.turn, to.ply);
  // What was explored from there stays.
  tree.remove(tree.endFrom(node()).path[to.ply + 1]);
  go(to, { note });
};

byId('resign').onclick = async () => {
  if (isRefused('resign')) return;
  const { turn } = tree.endFrom(node()).view;
  const color = game.isEngine(turn) ? opponentOf(turn) : turn;
  if (!await confirm([`Does ${tree.kind.names[color]} resign?`], 'Resign')) return;
  // Meanwhile the engine may have moved, or a flag has fallen.
  const end = tree.endFrom(node());
  if (game.ended || !end.view.turn) return;
  halt();
  game.end(color, 'resign', end.moves);
  go(end);
};

byId('pause').onclick = () => {
  game.isPaused = !game.isPaused;
  halt();
  draw();
  proceed();
};

/** Says what is to be said of the players that are chosen. */
function drawHint() {
  const { hintOf } = KINDS[byId('new-kind').value];
  setText(byId('new-hint'), hintOf([byId('player-black').value, byId('player-white').value]));
}

/** Sets the dialog to a game: its players, and its last settings. */
function fillDialog(kind, rules) {
  const { players, seconds, increment, pace } = games[kind.id];
  byId('new-kind').value = kind.id;
  for (const color of ['black', 'white']) {
    const options = kind.players.map(player => el('option', { value: player }, kind.nameOf(player)));
    setText(byId(`${color}-name`), kind.names[color]);
    byId(`player-${color}`).replaceChildren(...options);
    byId(`player-${color}`).value = players[color];
  }
  byId('clock').value = String(seconds);
  byId('increment').value = String(increment);
  drawIncrement();
  byId('pace').value = String(pace);
  byId('new-rules').hidden = !rules;
  if (rules) [byId('grand-slam').value, byId('repetition').value] = rules.split(' ');
  drawHint();
}

byId('player-black').onchange = byId('player-white').onchange = drawHint;

/** There are no increments without clocks. */
const drawIncrement = () => { byId('increment').disabled = byId('clock').value === '0'; };
byId('clock').onchange = drawIncrement;

byId('new-kind').onchange = () => {
  const kind = KINDS[byId('new-kind').value];
  fillDialog(kind, kind === tree.kind ? tree.rules : kind.rules);
};
byId('new-game').onclick = () => {
  fillDialog(tree.kind, tree.rules);
  byId('new-dialog').showModal();
};
byId('new-cancel').onclick = () => byId('new-dialog').close();
byId('new-form').onsubmit = () => {
  const kind = KINDS[byId('new-kind').value];
  const rules = kind.rules && `${byId('grand-slam').value} ${byId('repetition').value}`;
  const settings = {
    players: { black: byId('player-black').value, white: byId('player-white').value },
    seconds: Number(byId('clock').value),
    increment: Number(byId('increment').value),
    pace: Number(byId('pace').value),
  };
  open({ kind, rules, start: null, moves: [] }, { begin: () => games[kind.id].start(settings, rules) });
};

function flagFalls(color) {
  const end = tree.endFrom(node());
  game.end(color, 'time', end.moves);
  halt();
  go(end);
}

setInterval(() => {
  if (!tree) return;
  const fallen = game.tick();
  if (fallen) flagFalls(fallen);
  else if (game.seconds && view === 'play') drawSeats(node().view);
}, 100);

const steps = {
  first: () => tree.root,
  back: () => node().parent ?? node(),
  forth: () => isAtEnd() ? node() : node().children[0],
  last: () => isAtEnd() ? node() : node() === tree.end ? node().end : tree.endFrom(node()),
};
for (const [id, to] of Object.entries(steps)) byId(id).onclick = () => go(to());

/* What is shown besides the stones. Values are an answer in a game, and the point of exploring. */

const keyOf = id => `gothello-${id}${id === 'show-values' && view === 'play' ? '-in-games' : ''}`;

/** Sets the switches to what was chosen for the view. */
function readSwitches() {
  for (const id of ['show-values', 'black-view', 'show-liberties']) {
    const byDefault = String(id === 'show-values' && view !== 'play');
    byId(id).checked = (localStorage.getItem(keyOf(id)) ?? byDefault) === 'true' && !byId(id).disabled;
  }
}

for (const id of ['show-values', 'black-view', 'show-liberties']) {
  byId(id).onchange = () => {
    localStorage.setItem(keyOf(id), String(byId(id).checked));
    draw();
    if (id === 'show-values') proceed();
  };
}

/* Positions and games from outside. */

/** Loads the longest legal beginning of an illegal line; null if not even its first move is legal. */
async function loadBeginning(kind, { rules, start, moves }) {
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

/** Opens a line in place of the tree. A game begins with `begin`, when its line is there. */
async function open({ kind = KINDS.gothello, rules, start, moves = [], ply = null }, { push = true, begin = () => {} } = {}) {
  try {
    tree = await Tree.load(kind, { rules, start, moves });
  } catch (error) {
    notice(error.message);
    tree = await loadBeginning(kind, { rules, start, moves }) ?? tree ?? await Tree.load(kind, {});
  }
  begin();
  show(ply, { push });
}

/** Shows a tree that is new, at a ply or at its end. */
function show(ply, { push = true } = {}) {
  halt();
  if (setup.isOpen) setup.close();
  const { path } = tree.node;
  go(path[ply] ?? tree.node, { push });
}

byId('set-up').onclick = () => { setup.open(node().view); halt(); };
byId('start-over').onclick = () => open({ start: null, moves: [] });

byId('copy').onclick = async () => {
  const { text } = node().view;
  if (!text) return notice('The game is over: there is no position to copy.');
  try {
    await navigator.clipboard.writeText(text);
    remark = 'The position is copied.';
  } catch {
    // Browsers allow it only on this machine: then it can be copied by hand.
    byId('paste').value = text;
    byId('paste').select();
  }
  draw();
};

byId('paste-form').onsubmit = event => {
  event.preventDefault();
  const text = byId('paste').value.trim();
  if (text) open({ start: text, moves: [] });
};

// The largest file in bytes: a collection of many games.
const MAX_FILE = 64 * 1024 * 1024;

async function openFile(file) {
  if (game.isTimed) return refuse();
  // What was said of another file is over.
  byId('notices').replaceChildren();
  if (file.size > MAX_FILE) return notice(`“${file.name}” has more than ${MAX_FILE} bytes`);
  try {
    const { first, count } = firstGame(decode(new Uint8Array(await file.arrayBuffer())));
    const read = await ask({ ask: 'read', sgf: first });
    if (read.type === 'awari') {
      view = 'play';
      readSwitches();
      return await open({ kind: KINDS.awari, rules: read.rules, start: null, moves: read.moves });
    }
    tree = await Tree.loadAll(KINDS.gothello, read);
    if (view !== 'explore') view = 'review';
    readSwitches();
    show(view === 'review' ? 0 : null);
    const others = count > 1 ? [`of ${count} games in the file, this is the first`] : [];
    for (const text of [...others, ...read.left_out]) notice(`“${file.name}”: ${text}`);
  } catch (error) {
    notice(`“${file.name}”: ${error.message}`);
  }
}

/** Loads the game in the file that the server has; null if it has none that the page can take. */
async function loadFromServer() {
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

byId('open').onchange = event => {
  const [file] = event.target.files;
  if (file) openFile(file);
  event.target.value = '';
};
addEventListener('dragover', event => event.preventDefault());
addEventListener('drop', event => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) openFile(file);
});

byId('save').onclick = async () => {
  const { kind, headers, isPlayed, start, allMoves } = tree;
  const { black, white } = game.players;
  const names = isPlayed ? { black: kind.nameOf(black), white: kind.nameOf(white) } : {};
  try {
    const { sgf } = await ask({
      ask: 'write', tree: { start, moves: allMoves },
      headers: { ...headers, players: headers?.players ?? names, result: namedResult() },
    });
    const url = URL.createObjectURL(new Blob([sgf], { type: 'application/x-go-sgf' }));
    el('a', { href: url, download: 'gothello.sgf' }).click();
    // In SGF they would belong to the game.
    if (tree.last?.children.length) notice('Moves after the end of the game are not in the file.');
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    notice(`The game is not saved: ${error.message}`);
  }
};

/* Views and addresses. */

/** Where a game goes on: what follows the end of the game is no part of it. */
const endToPlayFrom = from => from.isUnder(tree.end) ? tree.end : tree.endFrom(from);

const STORED_TREE = 'gothello-tree';

/** Keeps the game and its variations for the next load of the page: an address has only a line. */
function storeTree() {
  const shown = view === 'learn' ? kept : tree;
  if (shown?.kind === KINDS.gothello) sessionStorage.setItem(STORED_TREE, JSON.stringify(shown.stored));
  else sessionStorage.removeItem(STORED_TREE);
}

/** The game before the page was loaded again; null if there is none. */
async function restoredTree() {
  if (performance.getEntriesByType('navigation')[0]?.type === 'navigate') return null;
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED_TREE));
    return stored && await Tree.restore(KINDS.gothello, stored);
  } catch {
    // What is stored is of another version.
    return null;
  }
}

/** The tree with the line of an address; null if it is to be loaded. */
async function treeWith({ view, kind, rules, start, moves, isFromFile }) {
  const has = found => {
    const end = found?.isOf(kind, { rules, start }) ? found.find(moves) : null;
    return end && (view !== 'play' || found === tree || end === found.endFrom(end));
  };
  const isLoaded = tree !== null;
  const known = isFromFile && !tree?.isFromFile ? await loadFromServer() : tree;
  if (has(known)) return known;
  const restored = isLoaded ? null : await restoredTree();
  return has(restored) ? restored : null;
}

/** Says that something has to wait until the end of the game with clocks. */
function refuse() {
  remark = 'First finish the timed game, resign, or start a new game.';
  draw();
}

/** Shows the game with clocks that goes on, and nothing else that an address may say. */
async function showTimed({ view: wanted, kind, rules, start, moves, ply, isEmpty }) {
  if (!tree) {
    try {
      tree = await Tree.load(game.kind, game.line);
    } catch {
      // What is stored is of another version.
      game.leave();
      return showAddress();
    }
  }
  const asked = wanted === 'play' && tree.isOf(kind, { rules, start }) ? tree.find(moves) : null;
  go(!asked || isEmpty ? tree.end : asked.path[ply] ?? asked, { push: false });
  if (!asked) refuse();
}

/** Shows what the address says. */
async function showAddress() {
  const address = readAddress();
  if (game.isTimed) return showTimed(address);
  const { view: wanted, kind, rules, start, moves, ply, players, isEmpty } = address;
  if (players) games[kind.id].start({ players, seconds: 0 }, rules);
  const changed = view !== wanted;
  if (changed && wanted === 'learn') kept = tree ?? await restoredTree();
  if (changed && view === 'learn') tree = kept;
  view = wanted;
  readSwitches();
  if (view === 'learn') return open({ start: lesson.start, moves: [] }, { push: false });
  if (setup.isOpen) setup.close();
  // The links of the views keep the position.
  if (tree?.kind === kind && isEmpty && changed) return go(view === 'play' ? endToPlayFrom(node()) : node(), { push: false });
  const found = await treeWith(address);
  if (found) {
    if (found !== tree) halt();
    tree = found;
    const end = found.find(moves);
    return go(ply === null ? end : end.path[ply] ?? end, { push: false });
  }
  await open({ kind, rules, start, moves, ply }, { push: false });
}

addEventListener('hashchange', showAddress);
addEventListener('pagehide', () => { game.store(); storeTree(); });
// Some browsers keep the page as it is, and show it again.
addEventListener('pageshow', ({ persisted }) => { if (persisted) game.comeBack(); });
byId('skip').onclick = event => { event.preventDefault(); board().focus(); };

const isGothello = () => tree?.kind.isSolved ?? false;
const isPlay = () => tree !== null && view === 'play';
const isGame = () => tree !== null && !setup.isOpen;
const isOpen = () => isGothello() && !game.isTimed;

listen([
  { keys: [{ key: 'ArrowLeft', label: '←' }], text: 'one move back', when: isGame, act: () => go(steps.back()) },
  { keys: [{ key: 'ArrowRight', label: '→' }], text: 'one move forward', when: isGame, act: () => go(steps.forth()) },
  { keys: ['Home'], text: 'to the start', when: isGame, act: () => go(steps.first()) },
  { keys: ['End'], text: 'to the end', when: isGame, act: () => go(steps.last()) },
  { keys: ['b'], text: () => `to the board; there, arrows choose a ${tree.kind.place} and Enter plays`, when: () => tree !== null, act: () => board().focus() },
  { keys: ['p'], text: 'pass', when: isGothello, act: () => byId('pass').click() },
  { keys: ['u'], text: 'take back', when: isPlay, act: () => byId('take-back').click() },
  { keys: ['n'], text: 'new game', when: isPlay, act: () => byId('new-game').click() },
  { keys: ['v'], text: 'show values', when: isOpen, act: () => byId('show-values').click() },
  { keys: ['l'], text: 'show liberties', when: isGothello, act: () => byId('show-liberties').click() },
  { keys: ['1', '2', '3', '4'], text: 'play, explore, review, learn', when: isOpen, act: key => document.querySelectorAll('[data-view]')[key - 1].click() },
  { keys: ['d'], text: 'theme', act: nextTheme },
]);
byId('theme-button').onclick = nextTheme;

let started = false;
keep((isConnected, why) => {
  setText(byId('status'), isConnected ? '' : why ? `${why} Trying again …` : 'connection lost – reconnecting');
  setAttribute(byId('status'), 'data-state', isConnected ? 'live' : 'lost');
  byId('status').hidden = isConnected;
  if (isConnected && !started) {
    started = true;
    showAddress();
  }
});
