// What is proven of each move, and how it is shown.

// Bounds that are further apart than this say little.
const WIDE = 12;

const sign = number => number > 0 ? `+${number}` : number < 0 ? `−${-number}` : '0';

/** Bounds as text: `+3`, `≥+1`, `≤−1`, `−1…+5`; a question mark if nothing is known. */
export function format([low, high]) {
  if (low === high) return sign(low);
  if (low > 0) return high > WIDE ? `≥${sign(low)}` : `${sign(low)}…${sign(high)}`;
  if (high < 0) return low < -WIDE ? `≤${sign(high)}` : `${sign(low)}…${sign(high)}`;
  return high - low > WIDE ? '?' : `${sign(low)}…${sign(high)}`;
}

/** The bounds for the other player. */
export const negated = ([low, high]) => [-high || 0, -low || 0];

/** Which kind of value bounds are: `win`, `loss`, `draw`, or `open`. */
export function kindOf([low, high]) {
  if (low > 0) return 'win';
  if (high < 0) return 'loss';
  return low === 0 && high === 0 ? 'draw' : 'open';
}

/** Bounds on Black's lead as a sentence. */
export function describe([low, high]) {
  const by = number => Math.abs(number);
  if (low === high) {
    if (low === 0) return 'a draw under best play';
    return `${low > 0 ? 'Black' : 'White'} wins by ${by(low)} under best play`;
  }
  if (low > 0) return `Black wins, by ${low} to ${high}`;
  if (high < 0) return `White wins, by ${by(high)} to ${by(low)}`;
  return 'not yet known who wins';
}

/** What is known of positions: of each by its text, the bounds of its moves. */
export class Values {
  #known = new Map();

  /** What is known of a position; undefined if nothing is. */
  of(view) { return this.#known.get(view.text); }

  /** Takes over a message about a position. */
  update(view, { value: whole, moves, done, hardest }) {
    const before = this.of(view);
    const bounds = new Map(moves.map(([move, low, high]) => {
      const [l, h] = before?.bounds.get(move) ?? [low, high];
      return [move, [Math.max(low, l), Math.min(high, h)]];
    }));
    const all = [...bounds.values()];
    // The value of the position may be known before those of its moves.
    const { value: known = whole } = before ?? {};
    const value = [
      Math.max(whole[0], known[0], ...all.map(([low]) => low)),
      Math.min(whole[1], known[1], Math.max(...all.map(([, high]) => high))),
    ];
    const isExact = all.every(([low, high]) => low === high);
    const best = [...bounds].filter(([, [low]]) => low === value[1]).map(([move]) => move);
    this.#known.set(view.text, { bounds, value, best, isExact, done: before?.done || done, hardest: hardest ?? before?.hardest });
  }
}
