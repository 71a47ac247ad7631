// Comments and marks: what a file says of its positions, and what people write there.

import { byId, setAttribute } from '../page/dom.js';

const GLYPHS = { circle: '○', cross: '✕', square: '□', triangle: '△', selected: '■' };

const keyOf = node => node.moves.join();

/** What is noted of a node: its `comment` and `marks`. */
const noteOf = ({ headers }, node) => headers?.notes?.[keyOf(node)] ?? { comment: '', marks: [] };

/** The marks of a node: of each the point, the kind, and the label. */
export const marksOf = (tree, node) => noteOf(tree, node).marks;

/** The notes in a file, by the moves that lead to their nodes: `moves` and `annotations` are the server’s. */
export function notesOf({ moves, annotations }) {
  const paths = pathsOf(moves);
  return Object.fromEntries(Object.entries(annotations).map(([number, note]) => [paths[number], note]));
}

/** The notes of a tree with these moves, as the server takes them: by the numbers of the nodes. */
export function annotationsOf({ headers }, moves) {
  const notes = headers?.notes ?? {};
  const numbered = pathsOf(moves).map((path, number) => [number, notes[path]]);
  return Object.fromEntries(numbered.filter(([, note]) => note));
}

function pathsOf(moves) {
  const paths = [''];
  for (const [parent, move] of moves) paths.push(paths[parent] ? `${paths[parent]},${move}` : move);
  return paths;
}

/** The marks of the node that is shown, as the board draws them, by their points. */
export function drawnNotes({ tree, node }) {
  return new Map(marksOf(tree, node).map(({ point, kind, label }) => {
    const text = GLYPHS[kind];
    const shape = kind === 'selected' ? 'square' : kind;
    return [point, { note: text ? { text, label: `marked with a ${shape}` } : { text: label, label: `labeled ${label}` } }];
  }));
}

/** The panel below the moves. */
export class Notes {
  #store;

  constructor(store) {
    this.#store = store;
    byId('comment').oninput = ({ target }) => this.#change({ comment: target.value });
    byId('mark-tool').onchange = () => store.change({});
  }

  #change(changes) {
    const { tree, node } = this.#store;
    const note = { ...noteOf(tree, node), ...changes };
    tree.headers = { ...tree.headers, notes: { ...tree.headers?.notes, [keyOf(node)]: note } };
    this.#store.change({});
  }

  /** Marks a point that was clicked, or removes the mark. Returns whether a click marks points. */
  click(point) {
    const kind = byId('mark-tool').value;
    if (!kind || !byId('notes').checkVisibility()) return false;
    const { tree, node } = this.#store;
    const { marks } = noteOf(tree, node);
    const others = marks.filter(mark => mark.point !== point);
    const used = new Set(marks.map(({ label }) => label));
    const label = kind === 'label' ? [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].find(letter => !used.has(letter)) : '';
    const isRemoved = marks.some(mark => mark.point === point && mark.kind === kind);
    this.#change({ marks: isRemoved ? others : [...others, { point, kind, label }] });
    return true;
  }

  draw({ tree, node }) {
    const { comment } = noteOf(tree, node);
    if (byId('comment').value !== comment) byId('comment').value = comment;
    const isVariation = node.path.some(({ parent }, index, path) => parent && parent.children[0] !== path[index]);
    setAttribute(byId('make-main'), 'aria-disabled', isVariation ? null : 'true');
    setAttribute(byId('delete-line'), 'aria-disabled', node.parent ? null : 'true');
  }
}
