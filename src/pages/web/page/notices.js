// Notices, and the dialog that asks for confirmation.

import { byId, el, refocus, setText } from './dom.js';

/** Shows a notice to the organizer. */
export function notice(text) {
  const node = el('div', { class: 'notice' }, text.charAt(0).toUpperCase() + text.slice(1));
  const dismiss = () => {
    const index = [...byId('notices').children].indexOf(node);
    const hadFocus = node.contains(document.activeElement);
    node.remove();
    if (hadFocus) refocus(byId('notices'), index);
  };
  const close = el('button', { type: 'button', 'aria-label': 'Dismiss', onclick: dismiss }, '×');
  node.append(close);
  byId('notices').append(node);
  setTimeout(dismiss, 12_000);
}

/** Asks the organizer for the result of a game, which may be a free one, and why. Returns them, or `null`. */
export function askRuling(players, sides, isFree) {
  const dialog = byId('ruling');
  byId('ruling-game').replaceChildren(...players);
  const [one, other] = sides;
  const results = {
    '1-0': `${one} has won`, '0-1': `${other} has won`, '1/2': 'Drawn',
    '+/-': `${one} has won by forfeit`, '-/+': `${other} has won by forfeit`, '-/-': 'Both have lost by forfeit',
    replay: isFree ? 'Annulled: it does not count' : 'To be played again',
  };
  const select = byId('ruling-result');
  select.replaceChildren(...Object.entries(results).map(([value, text]) => el('option', { value }, value === 'replay' ? text : `${value}: ${text}`)));
  const reason = byId('ruling-reason');
  reason.value = '';
  return new Promise(resolve => {
    const done = () => {
      dialog.removeEventListener('close', done);
      resolve(dialog.returnValue === 'yes' ? { result: select.value, reason: reason.value } : null);
    };
    dialog.returnValue = '';
    dialog.addEventListener('close', done);
    byId('ruling-yes').onclick = () => {
      if (reason.reportValidity()) dialog.close('yes');
    };
    byId('ruling-no').onclick = () => dialog.close('');
    dialog.showModal();
    select.focus();
  });
}

/** Asks for confirmation. The question consists of texts and elements. */
export function confirm(question, yes) {
  const dialog = byId('confirm');
  byId('confirm-text').replaceChildren(...question);
  setText(byId('confirm-yes'), yes);
  return new Promise(resolve => {
    const done = () => {
      dialog.removeEventListener('close', done);
      resolve(dialog.returnValue === 'yes');
    };
    dialog.returnValue = '';
    dialog.addEventListener('close', done);
    byId('confirm-yes').onclick = () => dialog.close('yes');
    byId('confirm-no').onclick = () => dialog.close('');
    dialog.showModal();
    byId('confirm-no').focus();
  });
}
