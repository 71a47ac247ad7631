// The page in a frame of another page, as `?embed=board` or `?embed=values` in its address says: only the
// board, and what belongs to it.

import { byId, el, setAttribute } from '../page/dom.js';

const PARTS = ['board', 'values'];
const wanted = new URLSearchParams(location.search).get('embed');

/** What a frame shows: the `board`, or also the `values` of moves; null if this is the whole page. */
export const embedded = PARTS.includes(wanted) ? wanted : null;

const NOTHING = { getItem: () => null, setItem() {}, removeItem() {} };

/** What the browser keeps; nothing in a frame, which is one of many, and where it may not be asked. */
function kept(name) {
  try {
    // Some browsers in apps have none.
    return embedded ? NOTHING : globalThis[name] ?? NOTHING;
  } catch {
    return NOTHING;
  }
}

export const session = kept('sessionStorage');
export const local = kept('localStorage');

/** Stores a text in place of the one before, of which nothing remains. Returns whether there is room for it. */
export function storeIn(storage, key, text) {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    storage.removeItem(key);
    return false;
  }
}

const whole = el('a', { class: 'whole', target: '_blank', rel: 'noopener' }, 'Open in full');

/** Lays the page out for a frame, if it is in one. */
export function showEmbedded() {
  setAttribute(document.documentElement, 'data-embed', embedded);
  if (embedded) byId('pass').after(whole);
}

/** Keeps the link to the whole page at the position that is shown. */
export function linkToWhole() {
  if (!embedded) return;
  const url = new URL(location.href);
  url.search = '';
  setAttribute(whole, 'href', url);
}
