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

/** Sets a text, if it is another one: so that readers are not told it twice. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute; `null` takes it away. */
export function setAttribute(node, name, value) {
  if (value == null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

/**
 * Makes the children of `parent` those of `items`, in their order. A child stays
 * the same element as long as its item's key is there, and keeps its focus.
 * `make(item)` returns `{node, update}`.
 */
export function keyed(parent, items, keyOf, make) {
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
}
