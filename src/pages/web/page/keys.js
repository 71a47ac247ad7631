// Keyboard shortcuts, and the dialog that lists them.

import { byId, el } from './dom.js';

/** Whether the element with the focus takes keys itself. */
const isTaken = node => node.closest('input:not([type=checkbox]), select, textarea, dialog[open]') !== null;

/**
 * Listens for shortcuts: each has its keys, a description or a function that returns one, and a
 * function. With a function `when`, it works and is listed only while that returns true.
 */
export function listen(shortcuts) {
  const help = byId('help');
  const all = [...shortcuts, { keys: ['?'], text: 'this help', act: openHelp }];
  const isOn = ({ when }) => when?.() ?? true;

  function openHelp() {
    const rows = all.filter(isOn).flatMap(({ keys, text }) => {
      const shown = keys.flatMap((key, index) => [index ? ' ' : '', el('kbd', {}, key.label ?? key)]);
      return [el('dt', {}, ...shown), el('dd', {}, typeof text === 'function' ? text() : text)];
    });
    byId('help-keys').replaceChildren(...rows);
    help.showModal();
    // The button that has the focus is below the list.
    help.scrollTop = 0;
  }

  byId('help-button').onclick = openHelp;
  byId('help-close').onclick = () => help.close();
  const byKey = new Map(all.flatMap(shortcut => shortcut.keys.flatMap(key => key.range ?? [key.key ?? key]).map(key => [key, shortcut])));
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || isTaken(event.target)) return;
    const shortcut = byKey.get(event.key);
    if (!shortcut || !isOn(shortcut)) return;
    event.preventDefault();
    shortcut.act(event.key);
  });
}
