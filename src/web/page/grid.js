// Tables of text.

import { el, named } from './dom.js';

const isNumber = text => /^[-+]?[\d.,½]+( ± [\d.]+| %)?$/.test(text);

/**
 * A grid as an HTML table, which is drawn again only when it changes. `meanings` explain
 * headings. The cells of the column `who` are the headings of their rows.
 */
export function table(caption, meanings = {}, who = null) {
  const head = el('thead');
  const body = el('tbody');
  const node = el('table', {}, el('caption', { class: 'hidden-text' }, caption), head, body);
  let shown = '';
  const update = ({ head: titles, rows }) => {
    const text = JSON.stringify([titles, rows]);
    if (text === shown) return;
    shown = text;
    const numeric = titles.map((_, index) => rows.length > 0 && rows.every(row => !row[index] || isNumber(row[index])));
    const kind = index => numeric[index] ? 'number' : null;
    head.replaceChildren(el('tr', {}, ...titles.map((title, index) => el('th', { class: kind(index), scope: 'col', title: meanings[title] }, title))));
    const cell = (text, index) => titles[index] === who
      ? named('th', { class: 'who-cell', scope: 'row' }, text)
      : named('td', { class: kind(index) }, text);
    body.replaceChildren(...rows.map(row => el('tr', {}, ...row.map(cell))));
  };
  return { node, update };
}
