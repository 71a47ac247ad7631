// Elements without markup: whatever comes from outside becomes text, never HTML.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value != null) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/** The element of the page with this id. */
export const byId = id => document.getElementById(id);

/** An HTML element; `onclick` and the like are listeners, children that are strings are text. */
export const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

/** An SVG element, likewise. */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** An element for a name, whose script may run the other way than the page's. */
export const named = (tag, attributes = {}, ...children) => el(tag, { dir: 'auto', ...attributes }, ...children);

/** A name within a sentence: what is around it does not change sides. */
export const bdi = name => el('bdi', {}, name);

/** The same where there are no elements, as in a title. */
export const isolated = name => `\u2068${name}\u2069`;

/** Sets a text, if it is another one: so that readers are not told it twice. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute; `null` takes it away. */
export function setAttribute(node, name, value) {
  if (value == null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

// What takes a focus that is passed on: no fields, which would take the page's keys, too.
const FOCUSABLE = 'a[href], button:not(:disabled), summary, [tabindex]:not([tabindex="-1"])';

/**
 * What can have the focus in an element, or the element itself: best what does
 * `action`; `undefined` if nothing can.
 */
function focusable(node, action) {
  if (!node) return undefined;
  const all = [node, ...node.querySelectorAll(FOCUSABLE)].filter(found => found.matches(FOCUSABLE) && found.checkVisibility());
  return all.find(found => action && found.dataset.action === action) ?? all[0];
}

/**
 * Gives the focus to whatever took the place of child number `index`, or else to
 * what is around: somebody who uses the keyboard must not begin at the top again.
 * `action` is what the button did that had it.
 */
export function refocus(parent, index, action) {
  const { children } = parent;
  let place = focusable(children[index], action) ?? focusable(children[index - 1], action);
  if (!place) {
    place = parent.closest('section') ?? document.querySelector('main');
    while (!place.checkVisibility()) place = place.parentElement;
    if (!place.hasAttribute('tabindex')) place.tabIndex = -1;
  }
  place.focus({ preventScroll: true });
}

/**
 * Makes the children of `parent` those of `items`, in their order. A child stays
 * the same element as long as its item's key is there, and keeps its focus; the
 * focus of one that goes passes on to its neighbor. `make(item)` returns
 * `{node, update}`.
 */
export function keyed(parent, items, keyOf, make) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const at = focused ? [...parent.children].findIndex(child => child.contains(focused)) : -1;
  const known = parent.known ?? new Map();
  const next = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const child = known.get(key) ?? make(item);
    known.delete(key);
    next.set(key, child);
    child.update?.(item);
  }
  for (const child of known.values()) child.node.remove();
  let place = parent.firstChild;
  for (const child of next.values()) {
    if (child.node === place) place = place.nextSibling;
    else parent.insertBefore(child.node, place);
  }
  parent.known = next;
  // An element that is moved loses the focus, too.
  if (at < 0 || parent.contains(document.activeElement)) return;
  if (parent.contains(focused)) focused.focus({ preventScroll: true });
  else refocus(parent, at, focused.dataset.action);
}
