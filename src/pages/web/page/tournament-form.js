// The form for a new tournament, and the commands while one is running.

import { allow, commandButton, isRefused } from './buttons.js';
import { bdi, el, isolated, keyed, named, setAttribute, setText } from './dom.js';
import { counted } from './counted.js';
import { confirm, notice } from './notices.js';

// The most rounds that the server accepts.
const MAX_ROUNDS = 50;

/** The rounds after which everybody has met everybody. */
const allRounds = players => players - 1 + players % 2;

/** The rounds of a Swiss tournament after which at most one player has won all games. */
const swissRounds = players => Math.min(players - 1, Math.ceil(Math.log2(players)));

const field = (text, input) => el('label', { class: 'field' }, el('span', {}, text), input);

/** A menu of the connected players' names. At first none is chosen. */
class Names {
  node;

  constructor(label, placeholder, onchange) {
    this.placeholder = placeholder;
    this.node = el('select', { 'aria-label': label, onchange });
  }

  get chosen() {
    return this.node.value;
  }

  update(names) {
    const { chosen } = this;
    keyed(this.node, ['', ...names], name => name, name => ({ node: named('option', { value: name }, name || this.placeholder) }));
    this.choose(names.includes(chosen) ? chosen : '');
  }

  choose(name) {
    if (this.chosen !== name) this.node.value = name;
  }
}

/** The form for a new tournament. */
export class TournamentForm {
  #apart = [];
  // What was planned when the server was started; null until it is filled in.
  #plan = null;
  // Whether the organizer has chosen the number of rounds.
  #hasRounds = false;
  #names = [];

  constructor(send, store) {
    this.send = send;
    this.store = store;
    this.kind = el('select', { name: 'kind' }, el('option', { value: 'swiss' }, 'Swiss system'),
      el('option', { value: 'round-robin' }, 'Round robin'));
    this.rounds = el('input', { name: 'rounds', type: 'number', min: 1, max: 50, value: 5, required: true });
    this.games = el('input', { name: 'games', type: 'number', min: 1, max: 2, value: 2, required: true });
    this.one = new Names('First player who may not meet another', 'One player …', () => this.#drawButton());
    this.other = new Names('Player whom the first may not meet', 'Another player …', () => this.#drawButton());
    this.pairs = el('ul', { class: 'chips' });
    this.keepApart = el('button', { type: 'button', disabled: true, onclick: () => this.#keepApart() }, 'Keep apart');
    this.roundsField = field('Rounds', this.rounds);
    this.rounds.addEventListener('input', () => { this.#hasRounds = true; });
    this.extent = el('p', { class: 'faint' });
    this.apartField = el('fieldset', {}, el('legend', {}, 'Players who may not meet'),
      el('div', { class: 'fields' }, this.one.node, this.other.node, this.keepApart), this.pairs);
    this.entrants = el('p', { class: 'entrants' });
    this.begin = el('button', { type: 'submit', class: 'main', 'data-action': 'tournament' }, 'Start the tournament');
    this.node = el('form', { class: 'holding', onsubmit: event => this.#submit(event) },
      el('div', { class: 'fields' }, field('System', this.kind), this.roundsField, field('Games per pairing', this.games)),
      this.extent,
      this.apartField,
      this.entrants,
      this.begin);
    this.node.addEventListener('input', () => this.#drawExtent());
    this.kind.addEventListener('change', () => this.#drawExtent());
  }

  /** Fills in what was planned. */
  #suggest(plan) {
    this.#plan = plan;
    this.kind.value = plan.system.swiss ? 'swiss' : 'round-robin';
    this.games.value = plan.games;
    this.#apart = plan.avoid ?? [];
    this.#drawPairs();
  }

  /** The pairs that are kept apart, of players who are there. */
  #avoided() {
    return this.#apart.filter(pair => pair.every(name => this.#names.includes(name)));
  }

  /** Proposes a number of rounds, and shows how many games there will be. */
  #drawExtent() {
    const players = this.#names.length;
    const isSwiss = this.kind.value === 'swiss';
    this.roundsField.hidden = !isSwiss;
    // What is hidden is not checked.
    this.rounds.disabled = !isSwiss;
    const isKnown = players > 1;
    const max = isKnown ? Math.min(MAX_ROUNDS, allRounds(players)) : MAX_ROUNDS;
    setAttribute(this.rounds, 'max', max);
    const planned = this.#plan?.system.swiss?.rounds ?? swissRounds(players);
    if (isKnown && !this.#hasRounds) this.rounds.value = Math.min(planned, max);
    const rounds = isSwiss ? Number(this.rounds.value) : allRounds(players);
    const pairings = isSwiss ? rounds * Math.floor(players / 2) : players * (players - 1) / 2 - this.#avoided().length;
    this.extent.hidden = !isKnown;
    setText(this.extent, `${counted(players, 'player')}, ${counted(rounds, 'round')}, ${counted(pairings * Number(this.games.value), 'game')} in all`);
  }

  /** The two players that are chosen, if they are not a pair already. */
  #pair() {
    const pair = [this.one.chosen, this.other.chosen];
    const same = ([one, other]) => pair.includes(one) && pair.includes(other);
    return pair.includes('') || pair[0] === pair[1] || this.#apart.some(same) ? null : pair;
  }

  #keepApart() {
    const pair = this.#pair();
    if (!pair) return;
    this.#apart.push(pair);
    // The menus are ready for the next two.
    this.one.choose('');
    this.other.choose('');
    this.one.node.focus();
    this.#drawPairs();
  }

  #drawButton() {
    this.keepApart.disabled = !this.#pair();
  }

  #drawPairs() {
    this.#drawButton();
    this.#drawExtent();
    keyed(this.pairs, this.#apart, pair => pair.join('\n'), pair => {
      const text = pair.join(' – ');
      const forget = () => {
        this.#apart = this.#apart.filter(other => other !== pair);
        this.#drawPairs();
      };
      return { node: el('li', { class: 'chip' }, el('span', {}, bdi(pair[0]), ' – ', bdi(pair[1])), el('button', { type: 'button', 'aria-label': `Let ${text} meet`, onclick: forget }, '×')) };
    });
  }

  async #submit(event) {
    event.preventDefault();
    if (isRefused(this.begin)) return notice(this.begin.title);
    const system = this.kind.value;
    const command = { action: 'tournament', system, games: Number(this.games.value), avoid: this.#avoided() };
    if (system === 'swiss') command.rounds = Number(this.rounds.value);
    await this.send(command);
  }

  part() {
    const update = () => {
      const { clients, entrants, plan } = this.store();
      if (plan && !this.#plan) this.#suggest(plan);
      const connected = [...clients.values()].map(client => client.name).filter(Boolean);
      const names = [...new Set(entrants ?? connected)].sort();
      this.#names = names;
      this.#drawExtent();
      this.entrants.hidden = !entrants;
      setText(this.entrants, names.length ? `Who takes part now: ${names.map(isolated).join(', ')}` : 'Nobody is there yet.');
      this.one.update(names);
      this.other.update(names);
      this.#drawButton();
      this.apartField.hidden = names.length < 3;
      allow(this.begin, names.length < 2 ? entrants ? 'at least two teams must be there' : 'at least two players with names must be connected' : null);
    };
    return { node: this.node, update };
  }
}

/** The commands while a tournament is running. `whyNot(name)` says why a player cannot be withdrawn now. */
export function runningTournament(send, whyNot) {
  const list = el('ul', { class: 'chips' });
  const end = el('button', { type: 'button', class: 'danger', 'data-action': 'end-tournament' }, 'End the tournament');
  end.onclick = async () => {
    if (await confirm(['End the tournament now? The games played so far count.'], 'End the tournament')) await send({ action: 'end-tournament' });
  };
  const swiss = el('div', { class: 'fields' });
  const name = el('input', { type: 'text', maxlength: 60, 'data-field': 'enter' });
  const enter = el('button', { type: 'button', 'data-action': 'enter' }, 'Enter');
  enter.onclick = async () => {
    if (await send({ action: 'enter', name: name.value })) name.value = '';
  };
  swiss.append(el('label', { class: 'field wide-field' }, 'Late entry', name), enter);
  let absent = null;
  const make = name => {
    const withdraw = async () => {
      if (await confirm(['Withdraw ', bdi(name), ' from the tournament?'], 'Withdraw')) await send({ action: 'withdraw', name });
    };
    const button = commandButton('×', withdraw);
    button.dataset.action = 'withdraw';
    setAttribute(button, 'aria-label', `Withdraw ${name} from the tournament`);
    const attendance = commandButton('', () => send({ action: absent.includes(name) ? 'return' : 'absent', name }));
    const update = () => {
      allow(button, whyNot(name));
      attendance.hidden = !absent;
      const isAbsent = absent?.includes(name);
      setText(attendance, isAbsent ? 'is back' : 'mark absent');
      attendance.dataset.action = isAbsent ? 'return' : 'absent';
      const text = isAbsent ? `Pair ${name} again` : `Pair ${name} no more, from the next round on`;
      setAttribute(attendance, 'aria-label', text);
      setAttribute(attendance, 'title', text);
    };
    return { node: el('li', { class: 'chip' }, named('span', {}, name), attendance, button), update };
  };
  const heading = el('h3');
  const update = ({ value }) => {
    absent = value.absent ?? null;
    swiss.hidden = !absent;
    setText(heading, value.withdrawable.length ? 'Players' : '');
    keyed(list, value.withdrawable, name => name, make);
  };
  return { node: el('div', {}, heading, list, swiss, end), update };
}
