// Formats of times.

/** Formats the time left on a clock, in milliseconds: with tenths below 20 seconds. */
export function clock(ms) {
  if (ms == null) return '–';
  // Rounded up: a clock shows 0 only when the flag has fallen.
  if (ms < 20_000) return (Math.ceil(ms / 100) / 10).toFixed(1);
  const all = Math.ceil(ms / 1000);
  const two = n => String(n).padStart(2, '0');
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** Formats the time of a move, in milliseconds. */
export function took(ms) {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round(ms / 1000) % 60} s`;
}

/** The time of day of a line of the log. */
export const timeOfDay = ms => new Date(ms).toLocaleTimeString([], { hour12: false });

/** When a game began: the day too, unless it is today. */
export function dayAndTime(ms) {
  const date = new Date(ms);
  if (date.toDateString() === new Date().toDateString()) return timeOfDay(ms);
  return `${date.toLocaleDateString()} ${timeOfDay(ms)}`;
}
