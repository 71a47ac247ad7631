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
