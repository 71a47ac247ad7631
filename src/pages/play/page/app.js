// The page: what people and the server do changes the state, and the screen shows it.

import { byId, setAttribute, setText } from '../page/dom.js';
import { listen } from '../page/keys.js';
import { confirm, notice } from '../page/notices.js';
import { nextTheme, showTheme } from '../page/theme.js';
import { MOST_NODES, addressOf, movesTo, readAddress, sharedAddressOf } from './address.js';
import { embedded, linkToWhole, showEmbedded } from './embed.js';
import { fileOf, saveFile } from './files.js';
import { opponentOf } from './game.js';
import { KINDS } from './kinds.js';
import { Lesson } from './learn.js';
import { keep } from './link.js';
import { loadBeginning, loadFromServer, openFile } from './loading.js';
import { offerNewGame } from './new-game.js';
import { Notes } from './notes.js';
import { offerPicture } from './picture.js';
import { Reviews } from './review.js';
import { Screen } from './screen.js';
import { Searches } from './searches.js';
import { Setup } from './setup.js';
import { entryOf, hasMoves, shownBefore, treeOf } from './shelf.js';
import { SWITCHES, Store } from './store.js';
import { Tree } from './tree.js';

showTheme();
showEmbedded();

/** Ends the task of the page's thread: while the page is loaded, none is long. */
const nextTask = () => new Promise(resolve => setTimeout(resolve));

await nextTask();

const store = new Store(() => {
  if (!store.tree) return;
  screen.draw(store);
  linkToWhole();
});
const reviews = new Reviews(ply => go(store.main[ply] ?? store.main.at(-1)));
const searches = new Searches(store, reviews, play);
const setup = new Setup(store, text => open({ start: text }, { by: 'set-up' }));
const lesson = new Lesson({
  open: (start, begin) => open({ start }, { push: false, by: 'lesson', begin() { store.set({ view: 'learn' }); begin(); } }),
  finish: () => document.querySelector('[data-view=play]').click(),
});
const notes = new Notes(store);
const screen = new Screen({ setup, lesson, reviews, notes }, { place, look: point => searches.look(point), go });

/** Says something below the turn. */
const say = remark => store.change({ remark });

/* Moves. */

/** Shows a node. `push` adds an address that the back button returns from; `note` is said of it. */
function go(to, { push = store.view === 'explore' || store.view === 'review', note = '' } = {}) {
  const { tree, view, games } = store;
  tree.node = to;
  tree.view = view;
  if (store.game !== games[tree.kind.id]) {
    store.game.leave();
    store.set({ game: games[tree.kind.id] });
  }
  if (view === 'play') {
    store.game.follow(store.end);
    tree.isPlayed = true;
    // Only moves that are played change a game that has begun, and none that are explored.
    if (tree.end.parent) tree.last = tree.end;
  }
  const address = addressOf(view, tree, to);
  try {
    // The back button of a page is not about the frames in it.
    if (address !== location.hash) history[push && !embedded ? 'pushState' : 'replaceState'](null, '', address);
  } catch {
    // Some browsers refuse many changes in a short time. The next one is enough.
  }
  store.change({ remark: note, bestLine: null });
  searches.proceed();
}

/** Plays a move from the node that is shown, or from that in which the game goes on. `note` is said of it. */
async function play(move, { from = store.node, note = '' } = {}) {
  const { game, view, tree } = store;
  // In a game with clocks a second click does not replace the move.
  if (game.isTimed && store.isMoving) return;
  const fallen = game.tick();
  if (fallen) return flagFalls(fallen);
  const isEnd = from === tree.end;
  const isFinished = view === 'review' || view === 'explore' && store.namedResult !== null;
  store.set({ isMoving: true });
  try {
    const next = await tree.after(from, move);
    playAfter(from, next, { note, isOver: isEnd && isFinished });
  } catch (error) {
    say(error.message);
  } finally {
    store.set({ isMoving: false });
  }
}

/** Shows a move that is new. `isOver` is whether the game was over before it. */
function playAfter(from, next, { note, isOver }) {
  const { game, view, tree } = store;
  // It may have been taken back meanwhile, or another view is shown.
  const isThere = game.isTimed ? tree.find(from.moves) === from : store.node === from;
  if (!isThere || view === 'play' && game.ended) return;
  if (view === 'play') game.moved(from.view.turn, next.ply);
  // A move after a game that is finished or under review is no part of it; one that is played continues it.
  if (isOver && !tree.last && from.children.length === 1) tree.last = from;
  if (view === 'play' && from === tree.last) tree.promote(next);
  go(next, { note });
}

/** Plays at a point that was clicked, or says why not. */
function place(point) {
  if (store.isSetup) return setup.click(point);
  if (notes.click(point)) return;
  if (!store.canPlace) return say(store.whyNot);
  const { legal, illegal } = store.position;
  if (illegal[point]) return say(store.tree.kind.explain(illegal[point]));
  if (!legal[point]) return say(`There is a stone at ${point}.`);
  play(point);
}

/** Ends the game after its last move: `how` is `resign` or `time`. */
function endGame(color, how) {
  const { end } = store;
  searches.halt();
  store.game.end(color, how, end.moves);
  go(end);
}

const flagFalls = color => endGame(color, 'time');

setInterval(() => {
  const { tree, game, view } = store;
  if (!tree) return;
  const fallen = game.tick();
  if (fallen) flagFalls(fallen);
  else if (game.seconds && view === 'play') screen.drawSeats(store);
}, 100);

/* The commands. */

const isRefused = id => byId(id).getAttribute('aria-disabled') === 'true';

byId('pass').onclick = () => isRefused('pass') ? say(store.whyNot) : play('pass');

byId('take-back').onclick = () => {
  const { lastOfPerson: to, game, tree } = store;
  if (!to) return;
  // Nobody thinks about what is taken back.
  searches.halt();
  const note = game.seconds && !game.line ? WITHOUT_CLOCKS : '';
  const taken = store.end.path[to.ply + 1];
  if ((taken.hasVariations || store.end.children.length) && !game.isTimed) store.shelf.put(shownEntry('take back'));
  game.takeBack(to.view.turn, to.ply);
  // What was explored from there stays.
  tree.remove(taken);
  go(to, { note });
};

byId('resign').onclick = async () => {
  if (isRefused('resign')) return;
  const { turn } = store.end.view;
  const color = store.game.isEngine(turn) ? opponentOf(turn) : turn;
  if (!await confirm([`Does ${store.tree.kind.names[color]} resign?`], 'Resign')) return;
  // Meanwhile the engine may have moved, or a flag has fallen.
  if (!store.game.ended && store.end.view.turn) endGame(color, 'resign');
};

byId('review-game').onclick = () => document.querySelector('[data-view=review]').click();
byId('play-again').onclick = () => {
  const { tree: { kind, rules }, game } = store;
  const { players, seconds, increment, pace } = game;
  open({ kind, rules }, { by: 'new game', begin: () => game.start({ players, seconds, increment, pace }, rules) });
};

byId('pause').onclick = () => {
  store.game.isPaused = !store.game.isPaused;
  searches.halt();
  store.change({});
  searches.proceed();
};

offerNewGame(store, (kind, rules, settings) =>
  open({ kind, rules }, { by: 'new game', begin: () => store.games[kind.id].start(settings, rules) }));

const steps = {
  first: () => store.tree.root,
  back: () => store.node.parent ?? store.node,
  forth: () => store.isAtEnd ? store.node : store.node.children[0],
  last: () => store.isAtEnd ? store.node : store.node === store.tree.end ? store.node.end : store.end,
};
for (const [id, to] of Object.entries(steps)) byId(id).onclick = () => go(to());

for (const id of SWITCHES) {
  byId(id).onchange = () => {
    store.turn(id, byId(id).checked);
    if (id === 'show-values') searches.proceed();
  };
}

/* Positions and games from outside. */

/** What is known of the tree that is shown, to show it again. */
const shownEntry = by => {
  const { tree, games } = store;
  return entryOf(tree, games[tree.kind.id], by);
};

/**
 * Puts a tree in the place of the one that is shown, which is kept: `by` says what replaced it; the store keeps the
 * one before a lesson. Returns what is to be said of that.
 */
function replaceTree(tree, by) {
  if (tree === store.tree) return '';
  const isKept = store.tree !== null && by !== 'lesson' && store.shelf.put(shownEntry(by));
  store.set({ tree });
  return isKept && by !== 'new game' ? 'Undo brings back what was here.' : '';
}

/** Puts the tree that was shown before the lesson in the place of it. */
function leaveLesson() {
  if (store.view === 'learn') store.set({ tree: store.kept, kept: null });
}

let wanted = 0;

/** Notes that something is to be shown. Returns a function that says whether nothing else is to be shown since. */
function want() {
  const number = ++wanted;
  return () => number === wanted;
}

/**
 * Opens a line in place of the tree. A game begins with `begin`, when its line is there. `wrong` is why something
 * else is not shown.
 */
async function open({ kind = KINDS.gothello, rules, start = null, moves = [], ply = null }, { push = true, by = 'link', begin = () => {}, wrong = null } = {}) {
  const line = { rules, start, moves };
  const isWanted = want();
  let tree;
  try {
    tree = await Tree.load(kind, line);
  } catch (error) {
    wrong ??= error.message;
    tree = await loadBeginning(kind, line) ?? (store.tree ? null : await Tree.load(kind, {}));
  }
  if (!isWanted()) return;
  if (wrong) notice(wrong);
  // Nothing of the line can be shown: what is shown stays, with its game.
  if (!tree) return show(null, { push: false });
  const note = replaceTree(tree, by);
  begin();
  show(ply, { push, note });
}

/** Shows a tree that is new, at a ply or at its end. */
function show(ply, { push = true, note = '' } = {}) {
  searches.halt();
  if (store.isSetup) setup.close();
  go(store.node.path[ply] ?? store.node, { push, note });
}

const WITHOUT_CLOCKS = 'The game goes on without clocks.';

/** What is said when a tree is shown again whose game had clocks. */
const noteOnClocks = ({ game, tree }) => tree.view === 'play' && game.hadClocks ? WITHOUT_CLOCKS : '';

/** Shows the earlier or the later tree again: `way` is `undo` or `redo`. */
async function restore(way) {
  const next = () => way === 'undo' ? store.shelf.earlier : store.shelf.later;
  const entry = next();
  if (!entry || !store.canRestore) return;
  const note = noteOnClocks(entry);
  try {
    const isWanted = want();
    const tree = await treeOf(entry);
    // What is kept may have changed, too.
    if (!isWanted() || next() !== entry || !store.canRestore) return;
    store.shelf[way](shownEntry());
    store.games[entry.kind].resume(entry.game);
    store.set({ tree, view: tree.view });
    show(null, { push: true, note });
  } catch (error) {
    notice(error.message);
  }
}

byId('undo').onclick = () => restore('undo');
byId('redo').onclick = () => restore('redo');

byId('set-up').onclick = () => { setup.open(store.position); searches.halt(); };
byId('start-over').onclick = () => open({}, { by: 'start over' });

byId('copy').onclick = async () => {
  const { text } = store.position;
  if (!text) return notice('The game is over: there is no position to copy.');
  try {
    await navigator.clipboard.writeText(text);
    say('The position is copied.');
  } catch {
    // Browsers allow it only on this machine: then it can be copied by hand.
    byId('paste').value = text;
    byId('paste').select();
  }
};

byId('copy-link').onclick = async () => {
  const { view, tree, node } = store;
  const address = sharedAddressOf(view, tree, node);
  try {
    await navigator.clipboard.writeText(new URL(address, location));
    say('The link is copied: it has all moves and variations.');
  } catch {
    history.replaceState(null, '', address);
    say('The address of the page now has all moves and variations.');
  }
};

byId('picture').onclick = () => offerPicture(store);

byId('paste-form').onsubmit = event => {
  event.preventDefault();
  const text = byId('paste').value.trim();
  if (text) takeText(text);
};

/** Opens a file; `by` says what replaces the tree. */
function take(file, by = 'open') {
  if (!file) return;
  if (store.game.isTimed) return refuse();
  // What was said of another file is over.
  byId('notices').replaceChildren();
  openFile(file, {
    isWanted: want(),
    openAwari({ rules, moves }) {
      leaveLesson();
      store.set({ view: 'play' });
      return open({ kind: KINDS.awari, rules, moves }, { by });
    },
    openGothello(tree) {
      leaveLesson();
      const note = replaceTree(tree, by);
      store.set({ view: store.view === 'explore' ? 'explore' : 'review' });
      show(store.view === 'review' ? 0 : null, { note });
    },
  });
}

byId('open').onchange = ({ target }) => {
  take(target.files[0]);
  target.value = '';
};
addEventListener('dragover', event => event.preventDefault());
addEventListener('drop', event => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) take(file);
  else takeText(event.dataTransfer.getData('text/plain'));
});
addEventListener('paste', event => {
  if (event.target.closest?.('input, textarea, dialog') || !isOpen()) return;
  event.preventDefault();
  takeText(event.clipboardData.getData('text/plain'));
});

/** Opens a text that was pasted: a game, moves, or a position. */
function takeText(text) {
  if (text.trim()) take(new File([text], 'text'), 'paste');
}

byId('save').onclick = async () => {
  const { game, namedResult, tree } = store;
  const { kind, isPlayed, last } = tree;
  const { black, white } = game.players;
  const names = isPlayed ? { black: kind.nameOf(black), white: kind.nameOf(white) } : {};
  try {
    saveFile(await fileOf(tree, { players: names, result: namedResult }), 'gothello.sgf');
    // In SGF they would belong to the game.
    if (last?.children.length) notice('Moves after the end of the game are not in the file.');
  } catch (error) {
    notice(`The game is not saved: ${error.message}`);
  }
};

byId('make-main').onclick = () => {
  if (isRefused('make-main')) return;
  store.tree.makeMain(store.node);
  go(store.node);
};

byId('delete-line').onclick = () => {
  const { tree, node } = store;
  if (isRefused('delete-line')) return;
  store.shelf.put(shownEntry('delete'));
  tree.remove(node);
  go(tree.node);
};

/* Views and addresses. */

/** Where a game goes on: what follows the end of the game is no part of it. */
const endToPlayFrom = from => from.isUnder(store.tree.end) ? store.tree.end : store.tree.endFrom(from);

// The tree that was here before the page was loaded again: another tree if a link has led here.
let reloaded = shownBefore();
if (reloaded && performance.getEntriesByType('navigation')[0]?.type === 'navigate') {
  store.shelf.put({ ...reloaded, by: 'link' });
  reloaded = null;
}

/**
 * The tree before the page was loaded again; null if there is none, or it is shown already. It stays for
 * others while it is not wanted.
 */
async function restoredTree(isWanted) {
  // What is stored may be of another version.
  const tree = reloaded && await treeOf(reloaded).catch(() => null);
  if (isWanted()) reloaded = null;
  return tree;
}

/** The tree with the line of an address, and its entry if it was kept; the tree is null if it is to be loaded. */
async function treeWith(address, isWanted) {
  const { view, kind, rules, start, moves, isFromFile } = address;
  const { tree, shelf } = store;
  const has = found => {
    const end = found?.isOf(kind, { rules, start }) && (!isFromFile || found.isFromFile) ? found.find(moves) : null;
    return end !== null && (view !== 'play' || found === tree || end === found.endFrom(end));
  };
  if (has(tree)) return { tree };
  if (tree === null) {
    const entry = reloaded;
    const restored = await restoredTree(isWanted);
    if (has(restored)) return { tree: restored };
    if (restored && isWanted()) shelf.put({ ...entry, by: 'link' });
  } else {
    for (const entry of shelf.entries.filter(entry => hasMoves(entry, address))) {
      const kept = await treeOf(entry).catch(() => null);
      if (has(kept)) return { tree: kept, entry };
    }
  }
  const loaded = isFromFile ? await loadFromServer() : null;
  return { tree: has(loaded) ? loaded : null };
}

/** Opens a game with its variations in place of the tree. */
async function openTree({ kind, rules, start, tree: moves, node, end }, begin) {
  const line = { rules: rules ?? kind.rules, start: start ?? kind.start };
  const isWanted = want();
  try {
    if (moves.length > MOST_NODES) throw new Error(`a link has at most ${MOST_NODES} moves, and this has ${moves.length}`);
    const tree = await Tree.loadAll(kind, { ...line, moves, headers: null });
    if (!isWanted()) return;
    tree.node = tree.find(movesTo(moves, node)) ?? tree.root;
    if (end !== null) tree.last = tree.find(movesTo(moves, end));
    const note = replaceTree(tree, 'link');
    begin();
    show(null, { push: false, note });
  } catch (error) {
    if (!isWanted()) return;
    // Then the moves that lead to the node.
    await open({ kind, ...line, moves: movesTo(moves, node) }, { push: false, begin, wrong: error.message });
  }
}

/** Says that something has to wait until the end of the game with clocks. */
const refuse = () => say('First finish the timed game, resign, or start a new game.');

/** Shows the game with clocks that goes on, and nothing else that an address may say. */
async function showTimed({ view: wanted, kind, rules, start, moves, ply, isEmpty }) {
  const { game } = store;
  if (!store.tree) {
    try {
      store.set({ tree: await Tree.load(game.kind, game.line) });
    } catch {
      // What is stored is of another version.
      game.leave();
      return showAddress();
    }
  }
  const { tree } = store;
  const asked = wanted === 'play' && tree.isOf(kind, { rules, start }) ? tree.find(moves) : null;
  go(!asked || isEmpty ? tree.end : asked.path[ply] ?? asked, { push: false });
  if (!asked) refuse();
}

// The address that is not shown yet.
let pending = null;

/** Shows what the address of the page says. */
async function showAddress() {
  let address = readAddress();
  // The links of the views keep the position, even one that is not shown yet.
  const isKept = address.isEmpty && pending?.kind === address.kind;
  if (isKept) address = { ...pending, view: address.view };
  pending = address;
  await showWhat(address, isKept || store.view !== address.view);
  if (pending === address) pending = null;
}

/** Shows what an address says. An empty one keeps the position if the view has `changed`. */
async function showWhat(address, changed) {
  const isWanted = want();
  if (store.game.isTimed) return showTimed(address);
  const { view, kind, rules, moves, ply, players, isEmpty } = address;
  if (view === 'learn') {
    const kept = store.tree ?? await restoredTree(isWanted) ?? await Tree.load(KINDS.gothello, {});
    if (!isWanted()) return;
    if (store.view !== 'learn') store.set({ kept });
    return lesson.show();
  }
  leaveLesson();
  store.set({ view });
  if (store.isSetup) setup.close();
  if (store.tree?.kind === kind && isEmpty && changed) return go(view === 'play' ? endToPlayFrom(store.node) : store.node, { push: false });
  const begin = entry => {
    if (entry) store.games[kind.id].resume(entry.game);
    if (players) store.games[kind.id].start({ players, seconds: 0 }, rules);
  };
  if (address.tree) return openTree(address, begin);
  const { tree: found, entry } = await treeWith(address, isWanted);
  if (!isWanted()) return;
  if (!found) return open(address, { push: false, begin });
  if (found !== store.tree) searches.halt();
  if (entry) store.shelf.remove(entry);
  replaceTree(found, 'link');
  begin(entry);
  const end = found.find(moves);
  go(end.path[ply] ?? end, { push: false, note: entry && noteOnClocks(entry) });
}

/** Stores the game and the trees for the next load of the page. */
function storeAll() {
  store.game.store();
  const tree = store.view === 'learn' ? store.kept : store.tree;
  // While the page loads, that is what was here before.
  store.shelf.store(tree ? entryOf(tree, store.games[tree.kind.id], 'link') : reloaded);
}

addEventListener('hashchange', showAddress);
addEventListener('pagehide', storeAll);
// A phone may end a page that nobody sees without a word.
document.addEventListener('visibilitychange', () => { if (document.hidden) storeAll(); });
// Some browsers keep the page as it is, and show it again.
addEventListener('pageshow', ({ persisted }) => { if (persisted) store.game.comeBack(); });
const focusBoard = () => screen.boardOf(store).focus();
byId('skip').onclick = event => { event.preventDefault(); if (isLoaded()) focusBoard(); };

const isLoaded = () => store.tree !== null;
const isGothello = () => store.tree?.kind.isSolved ?? false;
const isPlay = () => isLoaded() && store.view === 'play';
const isLesson = () => store.view === 'learn';
const isGame = () => isLoaded() && !store.isSetup;
const isOpen = () => isGothello() && !store.game.isTimed;
const click = id => () => byId(id).click();
const step = id => () => go(steps[id]());

listen([
  { keys: [{ key: 'ArrowLeft', label: '←' }], text: 'one move back', when: isGame, act: step('back') },
  { keys: [{ key: 'ArrowRight', label: '→' }], text: 'one move forward', when: isGame, act: step('forth') },
  { keys: ['Home'], text: 'to the start', when: isGame, act: step('first') },
  { keys: ['End'], text: 'to the end', when: isGame, act: step('last') },
  { keys: ['b'], text: () => `to the board; there, arrows choose a ${store.tree.kind.place} and Enter plays`, when: isLoaded, act: focusBoard },
  { keys: ['p'], text: 'pass', when: isGothello, act: click('pass') },
  { keys: ['u'], text: 'take back', when: () => isPlay() || isLesson(), act: () => byId(isLesson() ? 'lesson-again' : 'take-back').click() },
  { keys: ['n'], text: 'new game', when: () => isPlay() && !embedded, act: click('new-game') },
  { keys: ['z'], text: 'show the game before this one again', when: () => store.canRestore && store.shelf.earlier !== undefined, act: click('undo') },
  { keys: ['v'], text: 'show values', when: isOpen, act: click('show-values') },
  { keys: ['l'], text: 'show liberties', when: isGothello, act: click('show-liberties') },
  { keys: ['1', '2', '3', '4'], text: 'play, explore, review, learn', when: () => isOpen() && !embedded, act: key => document.querySelectorAll('[data-view]')[key - 1].click() },
  { keys: ['d'], text: 'theme', when: () => !embedded, act: nextTheme },
]);
byId('theme-button').onclick = nextTheme;

let started = false;
keep((isConnected, why) => {
  setText(byId('status'), isConnected ? '' : `${why ?? 'The program that answers has failed.'} Trying again …`);
  setAttribute(byId('status'), 'data-state', isConnected ? 'live' : 'lost');
  byId('status').hidden = isConnected;
  if (isConnected && !started) {
    started = true;
    showAddress();
  }
});

await nextTask();
// The board is laid out before there is a position, unless that is there already.
if (!store.tree) screen.prepare(readAddress().kind);
