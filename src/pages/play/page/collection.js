// Files with several games: the choice of one.

import { counted } from '../page/counted.js';
import { el } from '../page/dom.js';

const describe = ({ headers: { players: { black, white }, result, date, event }, moves }, index) => [
  `${index + 1}. ${black ?? 'Black'} – ${white ?? 'White'}`, result, date, event, counted(moves, 'move'),
].filter(Boolean).join(' · ');

/** Lets people choose one of the games of a file. Returns its index; null if they choose none. */
export function chooseGame(name, games) {
  const list = el('select', { size: Math.min(games.length, 12), 'aria-label': 'Games', ondblclick: () => dialog.close('open') },
    ...games.map((game, index) => el('option', { value: index, selected: index === 0 }, describe(game, index))));
  const dialog = el('dialog', { class: 'collection', 'aria-labelledby': 'collection-title' },
    el('form', { method: 'dialog' },
      el('h2', { id: 'collection-title' }, `${counted(games.length, 'game')} in “${name}”`), list,
      el('div', { class: 'choice' },
        el('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
        el('button', { type: 'submit', class: 'main', value: 'open' }, 'Open'))));
  document.body.append(dialog);
  return new Promise(resolve => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'open' ? Number(list.value) : null);
    });
    dialog.showModal();
    list.focus();
  });
}
