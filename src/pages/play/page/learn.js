// The lesson: five positions to solve. The server says what a move does; each position says what
// was wanted.

import { byId, setAttribute, setText } from '../page/dom.js';

const LESSONS = [
  {
    title: 'Place a stone',
    start: '...../...../...../...../..... b',
    text: 'Two players take turns to place a stone on an empty point. You are Black. The empty points above, below, left and right of a stone are its liberties. Place a stone anywhere.',
    isSolved: ({ move }) => move !== 'pass',
    solved: 'That is a move. Stones are never moved or taken away; the player with more stones at the end wins.',
    failed: 'A pass is a move, too. But place a stone now.',
  },
  {
    title: 'Captured stones change color',
    start: '...../..b../.bwb./...../..... b',
    text: 'Stones that touch each other along the lines are a group and share their liberties. The white stone has a single liberty left. Take it away.',
    isSolved: ({ flipped }) => flipped.length > 0,
    solved: 'The white stone had no liberty left: it turned over, and is yours now.',
    failed: 'The white stone still has a liberty: the point below it.',
  },
  {
    title: 'One eye lives',
    start: '...../...../ww.../bbw../..... b',
    text: 'A stone may only be placed where its group has a liberty, before anything is captured. So nobody can fill the last liberty of a group if it is a point that the group surrounds: an eye. In Go a group needs two eyes; here one is enough. White threatens to capture your two stones. Make an eye.',
    isSolved: ({ move }) => move === 'b1',
    solved: 'The point a1 is your eye: a white stone there would have no liberty. Your group can never be captured.',
    failed: 'White plays b1 and then captures your stones. Surround the corner a1.',
  },
  {
    title: 'No stone without a liberty',
    start: '...bw/...../bb.../wwb../.wb.. b',
    text: 'A small cross marks each point where a stone of yours would have no liberty, even one that would capture. White’s group in the corner has an eye: click a1 to see. Then capture another white stone.',
    isSolved: ({ flipped }) => flipped.length > 0,
    solved: 'The stone at e5 had no eye, and its last liberty was open to you.',
    failed: 'Look for a white stone with a single liberty that is not surrounded by white stones.',
  },
  {
    title: 'Pass, and the end',
    start: 'bbwww/bbw../bb.ww/bbbww/bb.ww b pass',
    text: 'A player may always pass. Two passes in a row end the game, and the player with more stones wins. White has passed, and you have one stone more. Any stone you place takes a liberty from your own group. Use the Pass button.',
    isSolved: ({ move }) => move === 'pass',
    solved: 'The game is over, and you win by one stone. You know all the rules: play a game.',
    failed: 'White now fills the last liberty of your large group and wins. It was better to pass.',
  },
];

/** The lesson that is shown, and what is said of the last move. */
export class Lesson {
  #number = 0;
  #open;

  /**
   * `open(start, begin)` shows a position, and calls `begin()` when it is loaded; `finish()` is called after the
   * last one.
   */
  constructor({ open, finish }) {
    this.#open = open;
    byId('lesson-back').onclick = () => this.show(this.#number - 1);
    byId('lesson-again').onclick = () => this.show();
    byId('lesson-next').onclick = () => this.#number + 1 < LESSONS.length ? this.show(this.#number + 1) : finish();
  }

  /** Shows a position, by default the one that was shown last. */
  show(number = this.#number) {
    const shown = Math.max(0, number);
    // Until it is loaded, what is said is about the one before.
    return this.#open(LESSONS[shown].start, () => { this.#number = shown; });
  }

  /** Draws what is said of a node of the lesson's tree. */
  draw(node) {
    const { title, text, isSolved, solved, failed } = LESSONS[this.#number];
    const first = node.path[1];
    const state = !first ? 'open' : isSolved(first.view) ? 'solved' : 'failed';
    setText(byId('lesson-title'), `${this.#number + 1} of ${LESSONS.length}: ${title}`);
    setText(byId('lesson-text'), { open: text, solved, failed }[state]);
    setAttribute(byId('lesson'), 'data-state', state);
    byId('lesson-back').disabled = this.#number === 0;
    byId('lesson-again').disabled = state === 'open';
    setText(byId('lesson-again'), state === 'failed' ? 'Take back' : 'Start again');
    setAttribute(byId('lesson-again'), 'class', state === 'failed' ? 'main' : '');
    setText(byId('lesson-next'), this.#number + 1 < LESSONS.length ? 'Next' : 'Play');
    setAttribute(byId('lesson-next'), 'class', state === 'solved' ? 'main' : '');
  }
}
