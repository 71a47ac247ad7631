// The games of the page: how their players are called, who can play, and what is told of moves.

import { counted } from '../page/counted.js';

const gothello = {
  id: 'gothello',
  name: 'Gothello',
  names: { black: 'Black', white: 'White' },
  // What a button of the board is.
  place: 'point',
  start: '...../...../...../...../..... b',
  rules: null,
  // Whether positions can be explored and games reviewed.
  isSolved: true,
  players: ['person', ...'123456789', 'perfect'],
  opponent: '1',
  nameOf(player) {
    if (player === 'person') return 'Person';
    return player === 'perfect' ? 'Perfect player' : `Level ${player}`;
  },
  /** What is said of the players where they are chosen. */
  hintOf(players) {
    if (players.includes('perfect')) {
      return 'The perfect player proves its moves, most in a second. After 10 seconds, 2 while others wait, or its share of the clock, it plays its best estimate, and says so.';
    }
    if (players.every(player => player === 'person')) return '';
    return 'Level 1 is the weakest, but no beginner: it wins four of five games against a player who always captures as much as possible. Level 3 wins nineteen of twenty.';
  },
  /** How the engine is to play, as the server reads it. */
  strengthOf: player => ({ level: player }),
  /** What a move did. */
  effectOf: ({ flipped }) => flipped.length ? `, ${flipped.length} flipped` : '',
  /** Why a move is illegal, as a sentence. */
  explain: why => `${why[0].toUpperCase()}${why.slice(1)}.`,
  stones: number => counted(number, 'stone'),
};

const awari = {
  id: 'awari',
  name: 'Awari',
  names: { black: 'South', white: 'North' },
  place: 'pit',
  start: '4,4,4,4,4,4/4,4,4,4,4,4 0 0 s',
  rules: 'e claim',
  isSolved: false,
  // The engine has a time for each move, in milliseconds.
  players: ['person', '100', '1000', '3000', '10000'],
  opponent: '1000',
  nameOf: player => player === 'person' ? 'Person' : `Engine, ${player / 1000} s`,
  hintOf: players => players.every(player => player === 'person') ? '' : 'The engine plays better the longer it may think about a move.',
  strengthOf: player => ({ ms: Number(player) }),
  effectOf: ({ taken }) => taken ? `, ${taken} captured` : '',
  // The reason begins with a letter whose case says whose pit it is.
  explain: why => `Pit ${why}.`,
  stones: number => `${counted(number, 'stone')} captured`,
};

export const KINDS = { gothello, awari };
