// Tables of text.

import { el, named } from './dom.js';

const isNumber = text => /^[-+]?[\d.,½]+( ± [\d.]+| %)?$/.test(text);

/**
 * A grid as an HTML table, which is drawn again only when it changes. `meanings` explain
 * headings. The cells of the column `who` are the headings of their rows. With a column `main`, a
 * phone shows each row as a line with the first column, `who` and `main`, and below it the others
 * with their headings.
 */
export function table(caption, { meanings = {}, who = null, main = null } = {}) {
  // Roles, because rows that are no longer drawn as those of a table are none otherwise.
  const head = el('thead', { role: 'rowgroup' });
  const body = el('tbody', { role: 'rowgroup' });
  const node = el('table', { role: 'table', class: main && 'stacks' }, el('caption', { class: 'hidden-text' }, caption), head, body);
  let shown = '';
  const update = ({ head: titles, rows }) => {
    const text = JSON.stringify([titles, rows]);
    if (text === shown) return;
    shown = text;
    const numeric = titles.map((_, index) => rows.length > 0 && rows.every(row => !row[index] || isNumber(row[index])));
    const kinds = titles.map((title, index) => [
      numeric[index] && 'number',
      title === who ? 'who-cell' : title === main ? 'main-cell' : index > 0 && 'detail',
    ].filter(Boolean).join(' '));
    head.replaceChildren(el('tr', { role: 'row' }, ...titles.map((title, index) =>
      el('th', { class: kinds[index], role: 'columnheader', scope: 'col', title: meanings[title] }, title))));
    const cell = (text, index) => titles[index] === who
      ? named('th', { class: kinds[index], role: 'rowheader', scope: 'row' }, text)
      : named('td', { class: kinds[index], role: 'cell', 'data-heading': titles[index] }, text);
    body.replaceChildren(...rows.map(row => el('tr', { role: 'row' }, ...row.map(cell))));
  };
  return { node, update };
}
