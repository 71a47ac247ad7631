// Holding a tournament: the form for a new one, and what can be done with one
// that goes on.

import { el, keyed, setText } from './dom.js';

const field = (text, input) => el('label', { class: 'field' }, el('span', {}, text), input);

/** A list of names to choose from, which follows those who are connected. */
class Names {
  node;

  constructor(label) {
    this.node = el('select', { 'aria-label': label });
  }

  update(names) {
    const chosen = this.node.value;
    keyed(this.node, names, name => name, name => ({ node: el('option', { value: name }, name) }));
    if (names.includes(chosen)) this.node.value = chosen;
  }
}

/** The form for a new tournament. */
export class Holding {
  #apart = [];

  constructor(send, clients) {
    this.send = send;
    this.clients = clients;
    this.kind = el('select', { name: 'kind' }, el('option', { value: 'swiss' }, 'Swiss system'),
      el('option', { value: 'round-robin' }, 'Everybody meets everybody'));
    this.rounds = el('input', { name: 'rounds', type: 'number', min: 1, max: 50, value: 5, required: true });
    this.games = el('input', { name: 'games', type: 'number', min: 1, max: 2, value: 2, required: true });
    this.one = new Names('One of two who must not meet');
    this.other = new Names('The other of two who must not meet');
    this.pairs = el('ul', { class: 'chips' });
    const keepApart = el('button', { type: 'button', onclick: () => this.#keepApart() }, 'Keep apart');
    this.roundsField = field('Rounds', this.rounds);
    this.kind.addEventListener('change', () => { this.roundsField.hidden = this.kind.value !== 'swiss'; });
    this.apartField = el('fieldset', {}, el('legend', {}, 'Who must not meet'),
      el('div', { class: 'fields' }, this.one.node, this.other.node, keepApart), this.pairs);
    this.node = el('form', { class: 'holding', onsubmit: event => this.#submit(event) },
      el('div', { class: 'fields' }, field('System', this.kind), this.roundsField, field('Games for each pairing', this.games)),
      this.apartField,
      el('button', { type: 'submit', class: 'main', 'data-action': 'tournament' }, 'Begin the tournament'));
  }

  #keepApart() {
    const pair = [this.one.node.value, this.other.node.value];
    const same = ([one, other]) => pair.includes(one) && pair.includes(other);
    if (!pair[0] || pair[0] === pair[1] || this.#apart.some(same)) return;
    this.#apart.push(pair);
    this.#drawPairs();
  }

  #drawPairs() {
    keyed(this.pairs, this.#apart, pair => pair.join('\n'), pair => {
      const text = pair.join(' – ');
      const forget = () => {
        this.#apart = this.#apart.filter(other => other !== pair);
        this.#drawPairs();
      };
      return { node: el('li', { class: 'chip' }, text, el('button', { type: 'button', 'aria-label': `Let ${text} meet`, onclick: forget }, '×')) };
    });
  }

  async #submit(event) {
    event.preventDefault();
    const kind = this.kind.value;
    const order = { action: 'tournament', kind, games: Number(this.games.value), apart: this.#apart };
    if (kind === 'swiss') order.rounds = Number(this.rounds.value);
    await this.send(order);
  }

  part() {
    const update = () => {
      const names = [...new Set(this.clients().map(client => client.name).filter(Boolean))].sort();
      this.one.update(names);
      this.other.update(names);
      this.apartField.hidden = names.length < 3;
    };
    return { node: this.node, update };
  }
}

/** What can be done while a tournament goes on. */
export function running(send, confirm) {
  const list = el('ul', { class: 'chips' });
  const end = el('button', { type: 'button', class: 'danger', 'data-action': 'end-tournament' }, 'End the tournament');
  end.onclick = async () => {
    if (await confirm('End the tournament now? The games so far count.', 'End the tournament')) await send({ action: 'end-tournament' });
  };
  const make = name => {
    const leave = async () => {
      if (await confirm(`Take ${name} out of the tournament?`, 'Take out')) await send({ action: 'withdraw', name });
    };
    const node = el('li', { class: 'chip' }, name);
    node.append(el('button', { type: 'button', 'data-action': 'withdraw', 'aria-label': `Take ${name} out of the tournament`, onclick: leave }, '×'));
    return { node };
  };
  const heading = el('h3');
  const update = ({ value }) => {
    setText(heading, value.participants.length ? 'Taking part' : '');
    keyed(list, value.participants, name => name, make);
  };
  return { node: el('div', {}, heading, list, end), update };
}
