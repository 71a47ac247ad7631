// Which table is shown to spectators who have chosen none: one where a game is being played.

/** How long a table is still shown when its game is over or paused, in milliseconds. */
const PAUSE = 10_000;

const isPlaying = table => table?.phase === 'playing';
// There is something to be seen for a while: a result, or why the game is paused.
const hasEnd = table => table !== undefined && table.phase !== 'waiting';

export class Follower {
  #shown = null;
  // Since when no game is played at the table that is shown; null while one is.
  #idle = null;

  /** The table to show, or null if there is none. `now` is the time in milliseconds. */
  next(tables, now) {
    const at = tables.findIndex(({ id }) => id === this.#shown);
    const shown = tables[at];
    if (isPlaying(shown)) {
      this.#idle = null;
      return shown;
    }
    this.#idle ??= now;
    // The tables after it come first, so that all of them have their turn.
    const played = [...tables.slice(at + 1), ...tables.slice(0, Math.max(0, at))].find(isPlaying);
    const stays = hasEnd(shown) && now - this.#idle < PAUSE;
    return this.show(shown && (stays || !played) ? shown : played ?? tables[0] ?? null);
  }

  /** Goes on from a table, or from none. */
  show(table) {
    const id = table?.id ?? null;
    if (id !== this.#shown) this.#idle = null;
    this.#shown = id;
    return table;
  }
}
