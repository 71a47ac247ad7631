// Buttons, and those whose order would be refused now.

import { el, setAttribute } from './dom.js';
import { notice } from './notices.js';

/** A button. */
export const button = (text, onclick, kind, name) =>
  el('button', { type: 'button', class: kind, onclick, 'aria-label': name }, text);

/**
 * Says of a button why what it orders would be refused, or that it would not. It can
 * have the focus all the same: whoever presses it hears why.
 */
export function allow(node, why) {
  setAttribute(node, 'aria-disabled', why ? 'true' : null);
  setAttribute(node, 'title', why);
}

/** Whether what a button orders would be refused. */
export const isRefused = node => node.getAttribute('aria-disabled') === 'true';

/** A button for an order that may be refused. */
export function orderButton(text, act, kind) {
  const node = button(text, event => {
    // The second click of two is not meant for what the button says by then.
    if (event.detail > 1) return;
    if (isRefused(node)) notice(node.title);
    else act();
  }, kind);
  return node;
}
