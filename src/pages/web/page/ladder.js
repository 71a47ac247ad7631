// The ladder: the ratings of all players.

import { byId, keyed, setText } from './dom.js';
import { table } from './grid.js';

// The meanings of the headings.
const MEANINGS = {
  'Score': 'Points per match: 1 for each won, ½ for each drawn',
  'Rating': 'In Elo, with the 95 % interval; the mean is 0',
  'Group': 'Players of a group are connected by matches',
};

/** Draws the ladder, if there is one. */
export function drawLadder({ ladder }) {
  byId('ladder-panel').hidden = !ladder;
  setText(byId('ladder-note'), ladder?.note ?? '');
  const shown = ladder?.players.rows.length ? [ladder.players] : [];
  byId('ladder').hidden = shown.length === 0;
  keyed(byId('ladder'), shown, () => 'ladder', () => table('Ladder', { meanings: MEANINGS, who: 'Player', main: 'Rating' }));
}
