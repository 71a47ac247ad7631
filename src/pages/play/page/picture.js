// A picture of the position that is shown, to be saved. It is drawn where the rules are.

import { el } from '../page/dom.js';
import { notice } from '../page/notices.js';
import { saveFile } from './files.js';
import { ask } from './link.js';
import { marksOf } from './notes.js';

// The width of the picture as PNG, in pixels.
const WIDTH = 1_600;

const SVG = 'image/svg+xml';

/** The picture as SVG: with the marks, and with liberties and values if they are shown. */
async function draw({ tree, node, position, switches, values, showsValues }) {
  const { value = [-25, 25], bounds = new Map() } = values.of(position) ?? {};
  const viewer = switches['black-view'] ? 'black' : position.turn;
  const { svg } = await ask({
    ask: 'picture', line: tree.lineTo(node), marks: marksOf(tree, node), liberties: switches['show-liberties'],
    values: showsValues && position.turn ? { viewer, value, moves: [...bounds].map(([move, [low, high]]) => [move, low, high]) } : null,
  });
  return svg;
}

/** A picture with its pixels, from an image with SVG; null if the browser makes none. */
async function pixelsOf(image) {
  // Without a size it has no pixels yet.
  await image.decode().catch(() => {});
  const canvas = el('canvas', { width: WIDTH, height: Math.round(WIDTH * image.naturalHeight / image.naturalWidth) });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
}

async function savePng(image) {
  const png = await pixelsOf(image);
  if (png) saveFile(png, 'gothello.png');
  else notice('The browser makes no PNG of the picture: save it as SVG.');
}

/** Shows the picture of the position that is shown, to be saved as SVG or PNG. */
export async function offerPicture(store) {
  let text;
  try {
    text = await draw(store);
  } catch (error) {
    return notice(`There is no picture: ${error.message}`);
  }
  // Another click has shown it.
  if (document.querySelector('dialog.picture')) return;
  const svg = new Blob([text], { type: SVG });
  const url = URL.createObjectURL(svg);
  // Its title has no characters that are escaped.
  const [, title] = /<title>(.*?)<\/title>/.exec(text) ?? [];
  const image = el('img', { src: url, alt: title ?? 'The picture' });
  const dialog = el('dialog', { class: 'picture', 'aria-labelledby': 'picture-title' },
    el('h2', { id: 'picture-title' }, 'Picture'), image,
    el('div', { class: 'choice' },
      el('button', { type: 'button', onclick: () => dialog.close() }, 'Close'),
      el('button', { type: 'button', id: 'save-png', onclick: () => savePng(image) }, 'Save PNG'),
      el('button', { type: 'button', id: 'save-svg', class: 'main', onclick: () => saveFile(svg, 'gothello.svg') }, 'Save SVG')));
  dialog.addEventListener('close', () => {
    dialog.remove();
    URL.revokeObjectURL(url);
  });
  document.body.append(dialog);
  dialog.showModal();
}
