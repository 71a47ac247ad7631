// Keyboard shortcuts, and the dialog that lists them.

import { byId, el } from './dom.js';

/** Whether the element with the focus takes keys itself. */
const isTaken = node => node.closest('input:not([type=checkbox]), select, textarea, dialog[open]') !== null;

/** Listens for shortcuts: each has its keys, a description, and a function. */
export function listen(shortcuts) {
  const help = byId('help');
  const rows = shortcuts.flatMap(({ keys, text }) => {
    const shown = keys.flatMap((key, index) => [index ? ' ' : '', el('kbd', {}, key.label ?? key)]);
    return [el('dt', {}, ...shown), el('dd', {}, text)];
  });
  byId('help-keys').replaceChildren(...rows);
  byId('help-button').onclick = () => help.showModal();
  byId('help-close').onclick = () => help.close();
  const byKey = new Map(shortcuts.flatMap(({ keys, act }) => keys.flatMap(key => key.range ?? [key.key ?? key]).map(key => [key, act])));
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || isTaken(event.target)) return;
    const act = byKey.get(event.key);
    if (!act) return;
    event.preventDefault();
    act(event.key);
  });
}
