// Buttons over a board, one for each point or pit, with arrow keys from one to the next.

import { el, setAttribute } from '../page/dom.js';

/** A grid of buttons. `on` has the functions for what people do: `place(name)`, `look(name)`. */
export class ButtonGrid {
  #buttons = new Map();
  #names;
  #columns;
  // Whether the focus came by a key: after a click, arrow keys are for the game.
  #hasKeyFocus = false;
  #isPressed = false;

  /** `names` are row by row from the top; Tab reaches `first` first; `kind` is a class. */
  constructor({ names, columns, first, kind }, on) {
    this.#names = names;
    this.#columns = columns;
    this.node = el('div', { class: kind, role: 'group', 'aria-label': 'Board' });
    for (const name of names) {
      const button = el('button', {
        type: 'button', 'data-point': name, tabindex: name === first ? 0 : -1,
        onclick: () => on.place(name),
        onpointerdown: () => { this.#isPressed = true; this.#hasKeyFocus = false; },
        onpointerenter: () => on.look(name),
        onpointerleave: () => on.look(null),
        onfocus: event => {
          this.#hasKeyFocus = !this.#isPressed;
          this.#rove(event.target);
          on.look(name);
        },
        onblur: () => on.look(null),
        onkeydown: event => this.#step(event, name),
      });
      this.#buttons.set(name, button);
      this.node.append(button);
    }
    // A touch moves the focus only after its end.
    addEventListener('keydown', () => { this.#isPressed = false; }, true);
  }

  /** The button that Tab reaches is the last one that had the focus. */
  #rove(button) {
    for (const other of this.#buttons.values()) other.tabIndex = other === button ? 0 : -1;
  }

  #step(event, name) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by || !this.#hasKeyFocus || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.#names.indexOf(name);
    const column = at % this.#columns + by[0];
    const row = Math.floor(at / this.#columns) + by[1];
    if (column < 0 || column >= this.#columns) return;
    this.button(this.#names[row * this.#columns + column])?.focus();
  }

  /** The button of a point or pit; undefined if there is none. */
  button(name) { return this.#buttons.get(name); }

  focus() {
    this.node.querySelector('[tabindex="0"]').focus();
    this.#hasKeyFocus = true;
  }

  /** Says what is at a point or pit: to screen readers, and by the classes that are given. */
  describe(name, label, classes) {
    const button = this.button(name);
    setAttribute(button, 'aria-label', label.filter(Boolean).join(', '));
    setAttribute(button, 'class', classes.filter(Boolean).join(' '));
  }
}
