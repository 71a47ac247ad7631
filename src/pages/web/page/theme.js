// The theme: dark, light or high contrast, by default that of the system.

import { byId, el, setAttribute } from './dom.js';

const THEMES = ['auto', 'dark', 'light', 'contrast'];
const TEXTS = { auto: ['◐', 'Auto'], dark: ['●', 'Dark'], light: ['○', 'Light'], contrast: ['◑', 'Contrast'] };

const chosen = () => {
  try {
    const theme = localStorage.getItem('theme');
    return THEMES.includes(theme) ? theme : 'auto';
  } catch {
    // In a frame, the browser may keep nothing.
    return 'auto';
  }
};

/** Shows the theme that was chosen. */
export function showTheme() {
  const theme = chosen();
  setAttribute(document.documentElement, 'data-theme', theme);
  const [sign, text] = TEXTS[theme];
  byId('theme-button').replaceChildren(sign, el('span', { class: 'wide-only' }, ` ${text}`));
  setAttribute(byId('theme-button'), 'aria-label', `Theme: ${theme}`);
}

/** Chooses the next theme. */
export function nextTheme() {
  try {
    localStorage.setItem('theme', THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length]);
  } catch {
    // The browser keeps nothing.
  }
  showTheme();
}
