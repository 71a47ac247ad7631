// The list of moves, with variations. Elements that are there stay, so that little is laid out again.

import { arrange, byId, el, setAttribute, setText } from '../page/dom.js';

// The elements of the nodes of trees.
const steps = new WeakMap();
const variations = new WeakMap();

/** Returns the value of a key, which `make()` makes if there is none. */
function kept(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

/** A move with its number, which every second one has, and the first of a variation. */
function makeStep(node, go) {
  const number = el('span', { class: 'number-of', 'aria-hidden': 'true' });
  const glyph = el('span', { class: 'glyph', 'aria-hidden': 'true' });
  const button = el('button', { type: 'button', onclick: () => go(node) }, node.isSetUp ? 'set-up' : node.move, glyph);
  // A line does not end between a number and its move.
  return { element: el('span', { class: 'step' }, number, button), number, button, glyph };
}

function step(node, isFirst, { kind, shown, go, marks }) {
  const { element, number, button, glyph } = kept(steps, node, () => makeStep(node, go));
  const { by, move } = node.view;
  const mark = marks.get(node);
  const told = node.isSetUp ? 'a position is set up' : `${node.number}, ${kind.names[by]} ${move}${kind.effectOf(node.view)}`;
  setText(number, node.isSetUp || !isFirst && node.number % 2 === 0 ? '' : `${node.number}.`);
  setText(glyph, mark?.text ?? '');
  setAttribute(button, 'class', `move by-${by} ${mark?.kind ?? ''}`);
  setAttribute(button, 'aria-current', node === shown ? 'true' : null);
  setAttribute(button, 'aria-label', `${told}${mark ? `, ${mark.label}` : ''}`);
  return element;
}

/**
 * The elements of the moves from here on: the main line, each variation in parentheses. What
 * follows the node `last` is a variation.
 */
function line(node, last, of) {
  const parts = [];
  let isFirst = true;
  let at = node;
  if (node.parent === last) return [variation(node, null, of)];
  while (at) {
    parts.push(step(at, isFirst, of));
    isFirst = at.isSetUp;
    const siblings = at.parent.children;
    if (siblings[0] === at) {
      for (const other of siblings.slice(1)) {
        parts.push(variation(other, last, of));
        isFirst = true;
      }
    }
    if (at === last) {
      const [next] = at.children;
      if (next) parts.push(variation(next, null, of));
      break;
    }
    [at] = at.children;
  }
  return parts;
}

function variation(node, last, of) {
  const { element, open, close } = kept(variations, node, () => {
    const [open, close] = ['(', ')'].map(text => document.createTextNode(text));
    return { element: el('span', { class: 'variation' }), open, close };
  });
  arrange(element, [open, ...line(node, last, of), close]);
  return element;
}

/** Scrolls a list so that an element in it is seen; the page stays where it is. */
function reveal(list, element) {
  const [of, at] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  list.scrollTop += Math.min(0, at.top - of.top) + Math.max(0, at.bottom - of.bottom);
}

/** Draws the moves of a tree; `marks` has what is said of nodes. */
export function drawMoves({ kind, root, last }, shown, go, marks) {
  const list = byId('moves');
  const before = list.querySelector('[aria-current]');
  const hadFocus = list.contains(document.activeElement);
  const [first] = root.children;
  arrange(list, first ? line(first, last, { kind, shown, go, marks }) : []);
  const current = list.querySelector('[aria-current]');
  if (!current || current === before) return;
  if (hadFocus) current.focus();
  // Where it is costs a layout, which the next frame needs anyway.
  requestAnimationFrame(() => reveal(list, current));
}
