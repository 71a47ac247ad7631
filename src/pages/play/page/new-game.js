// The dialog for a new game.

import { byId, el, setText } from '../page/dom.js';
import { KINDS } from './kinds.js';

const FIELDS = ['clock', 'increment', 'pace'];

/** There are no increments without clocks. */
const drawIncrement = () => { byId('increment').disabled = byId('clock').value === '0'; };

/** Says what is to be said of the players that are chosen. */
function drawHint() {
  const { hintOf } = KINDS[byId('new-kind').value];
  setText(byId('new-hint'), hintOf([byId('player-black').value, byId('player-white').value]));
}

/** Sets the dialog to a game: its players, and its last settings. */
function fill({ kind, players, seconds, increment, pace }, rules) {
  byId('new-kind').value = kind.id;
  for (const color of ['black', 'white']) {
    const options = kind.players.map(player => el('option', { value: player }, kind.nameOf(player)));
    setText(byId(`${color}-name`), kind.names[color]);
    byId(`player-${color}`).replaceChildren(...options);
    byId(`player-${color}`).value = players[color];
  }
  [seconds, increment, pace].forEach((value, index) => { byId(FIELDS[index]).value = String(value); });
  drawIncrement();
  byId('new-rules').hidden = !rules;
  if (rules) [byId('grand-slam').value, byId('repetition').value] = rules.split(' ');
  drawHint();
}

/** Makes the dialog work: `start(kind, rules, settings)` begins a game. */
export function offerNewGame(store, start) {
  const { games } = store;
  byId('player-black').onchange = byId('player-white').onchange = drawHint;
  byId('clock').onchange = drawIncrement;
  byId('new-kind').onchange = () => {
    const kind = KINDS[byId('new-kind').value];
    fill(games[kind.id], kind === store.tree.kind ? store.tree.rules : kind.rules);
  };
  byId('new-game').onclick = () => {
    fill(games[store.tree.kind.id], store.tree.rules);
    byId('new-dialog').showModal();
  };
  byId('new-cancel').onclick = () => byId('new-dialog').close();
  byId('new-form').onsubmit = () => {
    const kind = KINDS[byId('new-kind').value];
    const rules = kind.rules && `${byId('grand-slam').value} ${byId('repetition').value}`;
    const [seconds, increment, pace] = FIELDS.map(id => Number(byId(id).value));
    const players = { black: byId('player-black').value, white: byId('player-white').value };
    start(kind, rules, { players, seconds, increment, pace });
  };
}
