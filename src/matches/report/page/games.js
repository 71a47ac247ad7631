// The games, to be played through.

import { bdi, el, setAttribute, setText } from './dom.js';
import { StoneBoard } from './goban.js';
import { AwariBoard } from './awari.js';

const COLORS = ['black', 'white'];
const MOST_ROWS = 200;

/** The boards of a game: one for the start, one for each ply, and in Go the one that is counted. */
function boardsOf({ board, start }, game) {
  const joint = board.kind === 'awari' ? ',' : '';
  const cells = [...start];
  for (const [index, cell] of game.setup ?? []) cells[index] = cell;
  const none = board.kind === 'awari' ? [0, 0] : null;
  const boards = [{ board: cells.join(joint), at: null, scores: none }];
  for (const { at, c, s } of game.plies) {
    for (const [index, cell] of c) cells[index] = cell;
    boards.push({ board: cells.join(joint), at, scores: s ?? null });
  }
  if (game.count) {
    for (const [index, cell] of game.count.c) cells[index] = cell;
    boards.push({ board: cells.join(joint), at: null, scores: null });
  }
  return boards;
}

const seconds = time => time == null ? 'opening' : `${time.toFixed(3)} s`;

const NAMED_BY = { scorer: 'the scorer', players: 'each player', black: 'Black', white: 'White' };

/** Describes how a game of Go was counted. */
function countOf({ by, dead }) {
  if (by === 'nobody') return 'The count: all stones are alive';
  return `The count: ${dead.length ? `${dead.join(' ')} ${dead.length > 1 ? 'are' : 'is'} dead` : 'no stone is dead'}, as ${NAMED_BY[by]} says`;
}

/** The list of games, and the board of the one that is chosen. */
export class Games {
  #replays;
  #sides;
  #boards = [];
  #game = null;
  #shown = 0;
  #rows = new Map();
  #list = el('tbody');
  #more = el('p', { class: 'faint' });
  #caption = el('p', { class: 'game-title' });
  #ply = el('p', { class: 'ply', 'aria-live': 'polite' });
  #slider = el('input', { type: 'range', min: 0, 'aria-label': 'Move' });
  #board;

  constructor(replays, sides, verdicts) {
    this.#replays = replays;
    this.#sides = sides;
    const { board } = replays;
    this.#board = board.kind === 'awari' ? new AwariBoard(board, false) : new StoneBoard(board, false);
    this.#slider.addEventListener('input', () => this.#look(Number(this.#slider.value)));
    const button = (text, label, to) =>
      el('button', { class: 'quiet', 'aria-label': label, onclick: () => this.#look(to()) }, text);
    const buttons = el('div', { class: 'steps' },
      button('«', 'First position', () => 0), button('‹', 'Move back', () => this.#shown - 1),
      button('›', 'Move forward', () => this.#shown + 1), button('»', 'Last position', () => this.#boards.length - 1));
    const names = [...new Set(replays.games.flatMap(game => game.players))].sort();
    const choice = (label, all, options) => {
      const select = el('select', { 'aria-label': label, onchange: () => this.#fill() },
        el('option', { value: '' }, all), ...options.map(([value, text]) => el('option', { value }, text)));
      return select;
    };
    this.player = choice('Player', 'All players', names.map(name => [name, name]));
    this.verdict = choice('Ended by', 'All endings', verdicts);
    const side = el('div', { class: 'game-list' },
      el('div', { class: 'filters' }, this.player, this.verdict),
      el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'List of games' },
        el('table', {},
          el('thead', {}, el('tr', {}, ...['Game', ...this.#sides, 'Result', 'By', 'Moves'].map(title => el('th', { scope: 'col' }, title)))),
          this.#list)),
      this.#more);
    this.node = el('section', { class: 'panel wide games', 'data-kind': board.kind }, el('h2', {}, 'Games'),
      el('div', { class: 'game-view' },
        el('div', { class: 'viewer' }, this.#caption, el('div', { class: 'replay-board' }, this.#board.node), this.#slider, buttons, this.#ply),
        side));
    this.words = new Map(verdicts);
    this.node.addEventListener('keydown', event => {
      if (event.target.matches('select, input') || event.altKey || event.ctrlKey || event.metaKey) return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.#look(this.#shown + step);
    });
    this.#fill();
  }

  #fill() {
    const [player, verdict] = [this.player.value, this.verdict.value];
    const games = this.#replays.games.filter(game =>
      (!player || game.players.includes(player)) && (!verdict || game.verdict === verdict));
    const shown = games.slice(0, MOST_ROWS);
    this.#rows.clear();
    this.#list.replaceChildren(...shown.map(game => this.#row(game)));
    setText(this.#more, games.length > shown.length ? `The first ${shown.length} of ${games.length} games` : '');
    if (shown.length && !shown.includes(this.#game)) this.#open(shown[0]);
    else this.#mark();
  }

  #row(game) {
    const name = index => el('td', { class: game.winner && COLORS[index] === game.winner ? 'winner' : '' }, el('bdi', { title: game.players[index] }, game.players[index]));
    const row = el('tr', {},
      el('td', {}, el('button', { class: 'quiet', onclick: () => this.#open(game) }, String(game.number))),
      name(0), name(1), el('td', {}, game.result), el('td', {}, this.words.get(game.verdict) ?? game.verdict),
      el('td', { class: 'number' }, String(game.plies.length)));
    this.#rows.set(game, row);
    return row;
  }

  #mark() {
    for (const [game, row] of this.#rows) row.toggleAttribute('aria-current', game === this.#game);
  }

  #open(game) {
    this.#game = game;
    this.#boards = boardsOf(this.#replays, game);
    this.#slider.max = this.#boards.length - 1;
    const [first, second] = this.#sides;
    this.#caption.replaceChildren(`Game ${game.number}: `, bdi(game.players[0]), ` (${first}) – `, bdi(game.players[1]),
      ` (${second}), ${game.result}`, ...(game.detail ? [el('span', { class: 'faint' }, ` · ${game.detail}`)] : []));
    this.#mark();
    this.#look(this.#boards.length - 1);
  }

  #look(ply) {
    this.#shown = Math.min(Math.max(ply, 0), this.#boards.length - 1);
    const { plies, count } = this.#game;
    const move = plies[this.#shown - 1];
    const isCount = this.#shown > plies.length;
    this.#board.draw(this.#boards[this.#shown], isCount);
    this.#slider.value = this.#shown;
    const before = COLORS.indexOf(this.#game.first);
    const who = this.#sides[(this.#shown - 1 + before) % 2];
    const text = isCount ? countOf(count)
      : move ? `Move ${this.#shown} of ${plies.length}: ${who} ${move.m}, ${seconds(move.t)}` : 'Start';
    setText(this.#ply, text);
    setAttribute(this.#board.node, 'aria-label', `Board. ${text}`);
  }
}
