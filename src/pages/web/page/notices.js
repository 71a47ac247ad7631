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

/**
 * Shows a dialog with a button for yes and one for no, and the focus on an element. Returns whether the answer is yes,
 * which it can only be while it `isValid()`.
 */
function isConfirmed(dialog, focused, isValid = () => true) {
  byId(`${dialog.id}-yes`).onclick = () => { if (isValid()) dialog.close('yes'); };
  byId(`${dialog.id}-no`).onclick = () => dialog.close('');
  dialog.returnValue = '';
  dialog.showModal();
  focused.focus();
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/** Asks the organizer for the result of a game, which may be a free one, and why. Returns them, or `null`. */
export async function askRuling(players, sides, isFree) {
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
  const isDecided = await isConfirmed(byId('ruling'), select, () => reason.reportValidity());
  return isDecided ? { result: select.value, reason: reason.value } : null;
}

/** Asks for confirmation. The question consists of texts and elements. */
export function confirm(question, yes) {
  byId('confirm-text').replaceChildren(...question);
  setText(byId('confirm-yes'), yes);
  return isConfirmed(byId('confirm'), byId('confirm-no'));
}
