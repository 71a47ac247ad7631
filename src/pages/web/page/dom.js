// Elements without markup: data from outside becomes text, never HTML.

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

/** An element for a name, which may be written from right to left. */
export const named = (tag, attributes = {}, ...children) => el(tag, { dir: 'auto', ...attributes }, ...children);

/** A name within a sentence, isolated so that it does not reorder the text around it. */
export const bdi = name => el('bdi', {}, name);

/** The same for plain text, such as a title. */
export const isolated = name => `\u2068${name}\u2069`;

/** Sets a text if it has changed, so that screen readers do not repeat it. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute; `null` removes it. */
export function setAttribute(node, name, value) {
  if (value == null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

// Elements to which the focus can be moved: not fields, which would also take the page's keys.
const FOCUSABLE = 'a[href], button:not(:disabled), summary, [tabindex]:not([tabindex="-1"])';

/**
 * Finds an element that can have the focus: the element itself or one in it, preferably the
 * button with this action.
 */
function focusable(node, action) {
  if (!node) return undefined;
  const all = [node, ...node.querySelectorAll(FOCUSABLE)].filter(found => found.matches(FOCUSABLE) && found.checkVisibility());
  return all.find(found => action && found.dataset.action === action) ?? all[0];
}

/**
 * Moves the focus to the element that took the place of child number `index`, or else to one
 * around it, so that keyboard users do not start at the top again. `action` is that of the
 * button that had the focus.
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

/** Makes these the children of `parent`. Those that stay in order are not moved, and so not laid out again. */
export function arrange(parent, nodes) {
  const kept = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!kept.has(node)) node.remove();
  let place = parent.firstChild;
  for (const node of nodes) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
}

/**
 * Makes the children of `parent` those of `items`, in order. A child stays the same element as
 * long as its item's key is present, and keeps its focus. The focus of one that is removed
 * moves to its neighbor. `make(item)` returns `{node, update}`.
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
  arrange(parent, [...next.values()].map(({ node }) => node));
  parent.known = next;
  // An element that is moved loses the focus as well.
  if (at < 0 || parent.contains(document.activeElement)) return;
  if (parent.contains(focused)) focused.focus({ preventScroll: true });
  else refocus(parent, at, focused.dataset.action);
}
