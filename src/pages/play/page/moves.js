// The list of moves, with variations.

import { el } from '../page/dom.js';

/** The number of a move: of every second one, and of the first of a variation. */
function numberOf(node, isFirst) {
  if (node.isSetUp || !isFirst && node.number % 2 === 0) return '';
  return el('span', { class: 'number-of', 'aria-hidden': 'true' }, `${node.number}.`);
}

function button(kind, node, shown, go, mark) {
  const { by, move } = node.view;
  const told = node.isSetUp ? 'a position is set up' : `${node.number}, ${kind.names[by]} ${move}${kind.effectOf(node.view)}`;
  return el('button', {
    type: 'button', class: `move by-${by} ${mark?.kind ?? ''}`,
    'aria-current': node === shown ? 'true' : null,
    'aria-label': `${told}${mark ? `, ${mark.label}` : ''}`,
    onclick: () => go(node),
  }, node.isSetUp ? 'set-up' : move, mark ? el('span', { class: 'glyph', 'aria-hidden': 'true' }, mark.text) : '');
}

/**
 * The nodes of the moves from here on: the main line, each variation in parentheses. What
 * follows the node `last` is a variation.
 */
function line(kind, node, shown, go, marks, last) {
  const parts = [];
  let isFirst = true;
  let at = node;
  if (node.parent === last) return [variation(kind, node, shown, go, marks, null)];
  while (at) {
    // A line does not end between a number and its move.
    parts.push(el('span', { class: 'step' }, numberOf(at, isFirst), button(kind, at, shown, go, marks?.get(at))));
    isFirst = at.isSetUp;
    const siblings = at.parent.children;
    if (siblings[0] === at) {
      for (const other of siblings.slice(1)) {
        parts.push(variation(kind, other, shown, go, marks, last));
        isFirst = true;
      }
    }
    if (at === last) {
      const [next] = at.children;
      if (next) parts.push(variation(kind, next, shown, go, marks, null));
      break;
    }
    [at] = at.children;
  }
  return parts;
}

const variation = (...of) => el('span', { class: 'variation' }, '(', ...line(...of), ')');

let drawn = '';

/** A key of everything that the list shows. */
const keyOf = (node, shown, marks) =>
  `${node.move}${node === shown ? '*' : ''}${marks?.get(node)?.label ?? ''}(${node.children.map(child => keyOf(child, shown, marks)).join()})`;

/** Scrolls a list so that an element in it is seen; the page stays where it is. */
function reveal(list, element) {
  const [of, at] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  list.scrollTop += Math.min(0, at.top - of.top) + Math.max(0, at.bottom - of.bottom);
}

/** Draws the moves of a tree; `marks` has what is said of nodes. */
export function drawMoves(parent, tree, shown, go, marks) {
  const key = `${tree.last?.ply} ${keyOf(tree.root, shown, marks)}`;
  if (key === drawn && parent.tree === tree) return;
  drawn = key;
  parent.tree = tree;
  const hadFocus = parent.contains(document.activeElement);
  const [first] = tree.root.children;
  parent.replaceChildren(...first ? line(tree.kind, first, shown, go, marks, tree.last) : []);
  const current = parent.querySelector('[aria-current]');
  if (hadFocus) current?.focus();
  // Where it is costs a layout, which the next frame needs anyway.
  if (current) requestAnimationFrame(() => reveal(parent, current));
}
