// One table, large: its board, its seats, and the history of its game.

import { byId, el, keyed, named, refocus, setAttribute, setText } from './dom.js';
import { boardFor, describePly, moveOf, phaseOf, plyOf, ratioOf, score, shapeOf } from './boards.js';
import { clock } from './clock.js';
import { counted } from './counted.js';
import { Graph } from './graph.js';

/** A stone, or a letter where there are none. */
const badge = (table, seat) =>
  el('span', { class: `badge ${table.kind === 'awari' ? 'pit' : seat ? 'white' : 'black'}`, 'aria-hidden': 'true' },
    table.kind === 'awari' ? table.seats[seat].code : '');

/** The card of a seat. */
function seatCard(table, seat) {
  const name = named('strong', { class: 'name' });
  const title = el('span', { class: 'faint' });
  const time = el('span', { class: 'clock', role: 'timer', 'aria-live': 'off' });
  const points = el('span', { class: 'points' });
  const taken = el('span', { class: 'faint taken' });
  const commands = el('span', { class: 'seat-commands' });
  const head = el('div', { class: 'who' }, badge(table, seat), el('div', { class: 'naming' }, name, title), commands);
  const node = el('article', { class: 'seat', 'data-seat': seat }, head,
    el('div', { class: 'numbers' }, time, el('span', { class: 'sum' }, points, taken)));
  const update = ({ table, ply }) => {
    const { name: who, connected, title: side } = table.seats[seat];
    setText(name, who ?? 'nobody');
    setAttribute(name, 'title', who);
    setText(title, who && !connected ? `${side} · not connected` : side);
    setAttribute(node, 'data-turn', table.turn === seat && table.phase === 'playing');
    setAttribute(node, 'data-absent', !connected);
    const sum = ply.scores?.[seat];
    setText(points, sum == null ? '' : score(sum));
    setAttribute(points, 'title', 'Score');
    const prisoners = ply.prisoners?.[seat];
    const words = () => table.kind === 'gothello' ? `${prisoners} turned over` : counted(prisoners, 'prisoner');
    setText(taken, prisoners == null ? (sum == null ? '' : 'captured') : words());
  };
  return { node, update, time, commands };
}

export class Stage {
  #shape = '';
  #board;
  #cards = [];
  #table = null;

  constructor(ui, redraw) {
    this.ui = ui;
    this.graph = new Graph(number => { this.#show(number); redraw(); });
    byId('graph').replaceChildren(this.graph.node);
    const step = to => () => { this.go(to); redraw(); };
    byId('first').onclick = step('first');
    byId('back').onclick = step('back');
    byId('forth').onclick = step('forth');
    byId('live').onclick = step('live');
    byId('slider').oninput = event => { this.#show(Number(event.target.value)); redraw(); };
    byId('territory').onchange = event => { ui.territory = event.target.checked; redraw(); };
  }

  /** Steps through the history. */
  go(to) {
    const last = this.#last();
    const now = this.ui.ply ?? last;
    const next = { first: 0, back: now - 1, forth: now + 1, live: last }[to];
    this.#show(next);
  }

  #last() {
    return Math.max(0, (this.#table?.plies.length ?? 0) - 1);
  }

  /** Shows a ply; the last one is the live one. */
  #show(number) {
    const last = this.#last();
    this.ui.ply = number >= last ? null : Math.max(0, number);
  }

  /** Shows a table, or none. `hasTournament` says whether there is a tournament, so that other games are free ones. */
  draw(table, hasTournament) {
    const before = this.#table;
    this.#table = table;
    byId('stage').hidden = !table;
    if (!table) return;
    const last = this.#last();
    // A new game has begun: the ply that was shown is gone.
    if (this.ui.ply != null && (this.ui.ply >= last || before?.id !== table.id)) this.ui.ply = null;
    if (this.#shape !== `${table.id} ${shapeOf(table)}`) this.#set(table);
    const ply = plyOf(table, this.ui.ply);
    this.#board.draw(ply, this.ui.territory);
    setAttribute(this.#board.node, 'aria-label', `Board. ${describePly(table, this.ui.ply)}`);
    this.#cards.forEach(card => card.update({ table, ply }));
    this.#words(table, ply, last, hasTournament);
    this.graph.draw(table, this.ui.ply ?? last);
  }

  /** Sets up the board and seats of another table. */
  #set(table) {
    this.#shape = `${table.id} ${shapeOf(table)}`;
    this.#board = boardFor(table, false);
    const place = byId('board');
    place.replaceChildren(this.#board.node);
    place.style.setProperty('--ratio', ratioOf(table));
    setAttribute(byId('stage'), 'data-kind', table.kind);
    this.#cards = [0, 1].map(seat => seatCard(table, seat));
    const seats = byId('seats');
    const hadFocus = seats.contains(document.activeElement);
    seats.replaceChildren(...this.#cards.map(card => card.node));
    if (hadFocus) refocus(seats, 0);
  }

  #words(table, ply, last, hasTournament) {
    setText(byId('table-title'), table.title);
    const isFree = hasTournament && !table.round && table.phase !== 'waiting';
    const part = table.round ? `Round ${table.round}` : isFree && 'free game, not of the tournament';
    setText(byId('rules'), [part, table.rules].filter(Boolean).join(' · '));
    setText(byId('phase'), phaseOf(table));
    setAttribute(byId('phase'), 'data-phase', table.phase);
    setText(byId('ply'), describePly(table, this.ui.ply));
    const slider = byId('slider');
    setAttribute(slider, 'max', last);
    slider.value = this.ui.ply ?? last;
    setAttribute(slider, 'aria-valuetext', describePly(table, this.ui.ply));
    const isLive = this.ui.ply == null;
    setAttribute(byId('live'), 'aria-pressed', isLive);
    setAttribute(byId('stage'), 'data-past', !isLive);
    const has = /[bw]/.test(ply.board) || table.plies.some(({ board }) => /[bw]/.test(board));
    byId('territory-label').hidden = !has;
  }

  /** Updates the clocks. */
  tick(store) {
    const table = this.#table;
    if (!table) return;
    this.#cards.forEach(({ time }, seat) => {
      const left = store.left(table, seat);
      setText(time, left == null ? '' : clock(left));
      setAttribute(time, 'data-low', left != null && left < 20_000 && table.running === seat);
    });
  }

  /** The places for the organizer's buttons at the seats. */
  seatCommands() {
    return this.#cards.map(card => card.commands);
  }
}

/** The small card of a table, a button that shows it large. */
function tableCard(choose) {
  return table => {
    const title = el('span', { class: 'card-title' });
    const phase = el('span', { class: 'faint card-phase' });
    const frame = el('span', { class: 'card-board' });
    const lines = [0, 1].map(seat => {
      const name = named('span', { class: 'name' });
      const time = el('span', { class: 'clock' });
      const sum = el('span', { class: 'points' });
      const node = el('span', { class: 'card-seat' }, badge(table, seat), name, sum, time);
      return { node, name, time, sum };
    });
    const node = el('button', { type: 'button', class: 'card', onclick: () => choose(table.id) },
      el('span', { class: 'card-head' }, title, phase), frame, ...lines.map(line => line.node));
    let shape = '';
    let board;
    const update = ({ table, chosen }) => {
      if (shape !== shapeOf(table)) {
        shape = shapeOf(table);
        board = boardFor(table, true);
        setAttribute(board.node, 'aria-hidden', 'true');
        frame.replaceChildren(board.node);
      }
      const ply = plyOf(table, null);
      board.draw(ply, false);
      setText(title, table.title);
      setText(phase, phaseOf(table));
      setAttribute(node, 'aria-current', chosen ? 'true' : null);
      setAttribute(node, 'data-phase', table.phase);
      setAttribute(node, 'title', moveOf(table, ply));
      lines.forEach((line, seat) => {
        setText(line.name, table.seats[seat].name ?? 'nobody');
        setText(line.sum, ply.scores ? score(ply.scores[seat]) : '');
        setAttribute(line.node, 'data-turn', table.turn === seat && table.phase === 'playing');
      });
    };
    const tick = (store, table) => lines.forEach((line, seat) => {
      const left = store.left(table, seat);
      setText(line.time, left == null ? '' : clock(left));
    });
    return { node, update: item => update(item), tick };
  };
}

/** All tables, small. */
export class Tables {
  #make;

  constructor(choose) {
    const make = tableCard(choose);
    this.#make = item => make(item.table);
  }

  draw(tables, chosen) {
    const node = byId('tables');
    node.hidden = tables.length < 2;
    node.style.setProperty('--count', tables.length);
    const items = node.hidden ? [] : tables.map(table => ({ table, chosen: table.id === chosen }));
    keyed(node, items, item => item.table.id, this.#make);
    if (!node.hidden) this.#fit(node, tables);
  }

  /** Finds in how many columns the boards are largest if all are to be seen at once. */
  #fit(node, tables) {
    const { left, right, top } = node.getBoundingClientRect();
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    // The space of a card beside its board, and between two cards.
    const [gap, beside, below] = [0.75 * rem, 1.2 * rem, 7 * rem];
    const [width, height] = [right - left, innerHeight - Math.max(0, top) - rem];
    const ratio = Math.max(...tables.map(ratioOf));
    const size = columns => {
      const rows = Math.ceil(tables.length / columns);
      const [wide, high] = [(width + gap) / columns - gap - beside, (height + gap) / rows - gap - below];
      return Math.min(wide, high * ratio);
    };
    const best = tables.map((_, index) => index + 1).reduce((one, other) => size(other) > size(one) ? other : one);
    node.style.setProperty('--columns', best);
    node.style.setProperty('--height', `${Math.floor(height)}px`);
  }

  tick(store) {
    for (const [id, card] of byId('tables').known ?? []) {
      const table = store.tables.get(id);
      if (table) card.tick(store, table);
    }
  }
}
