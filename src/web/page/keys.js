// The keyboard, and the window that tells about it.

import { byId, el } from './dom.js';

/** Whether keys belong to what has the focus. */
const isTaken = node => node.closest('input:not([type=checkbox]), select, textarea, dialog[open]') !== null;

/** Listens to keys; `deeds` maps a key to what it is called and does. */
export function listen(deeds) {
  const help = byId('help');
  const rows = deeds.flatMap(({ keys, text }) => {
    const shown = keys.flatMap((key, index) => [index ? ' ' : '', el('kbd', {}, key.label ?? key)]);
    return [el('dt', {}, ...shown), el('dd', {}, text)];
  });
  byId('help-keys').replaceChildren(...rows);
  byId('help-button').onclick = () => help.showModal();
  byId('help-close').onclick = () => help.close();
  const byKey = new Map(deeds.flatMap(({ keys, act }) => keys.flatMap(key => key.range ?? [key.key ?? key]).map(key => [key, act])));
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || isTaken(event.target)) return;
    const act = byKey.get(event.key);
    if (!act) return;
    event.preventDefault();
    act(event.key);
  });
}
