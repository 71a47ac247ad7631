// Buttons, and whether their commands are allowed now.

import { el, setAttribute } from './dom.js';
import { notice } from './notices.js';

/** A button. */
export const button = (text, onclick, kind, name) =>
  el('button', { type: 'button', class: kind, onclick, 'aria-label': name }, text);

/**
 * Sets why the command of a button would be refused; `null` if it is allowed. A button that is
 * not allowed can still have the focus, and shows the reason when it is pressed.
 */
export function allow(node, why) {
  setAttribute(node, 'aria-disabled', why ? 'true' : null);
  setAttribute(node, 'title', why);
}

/** Whether the command of a button would be refused. */
export const isRefused = node => node.getAttribute('aria-disabled') === 'true';

/** A button for a command that may be refused. */
export function commandButton(text, act, kind) {
  const node = button(text, event => {
    // The second click of a double click is not meant for what the button says by then.
    if (event.detail > 1) return;
    if (isRefused(node)) notice(node.title);
    else act();
  }, kind);
  return node;
}
