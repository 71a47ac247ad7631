// Files with several games.

/**
 * Returns the first game of a collection of SGF, and how many there are; the text itself if it is
 * none. Parentheses in the values of properties do not count.
 */
export function firstGame(text) {
  let first = null;
  let count = 0;
  let depth = 0;
  let start = 0;
  if (!/^\ufeff?\s*\(/.test(text)) return { first: text, count: 1 };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '(') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (letter === ')' && depth > 0) {
      depth -= 1;
      if (depth === 0) {
        first ??= text.slice(start, at + 1);
        count += 1;
      }
    } else if (letter === '[') {
      for (at += 1; at < text.length && text[at] !== ']'; at += 1) {
        if (text[at] === '\\') at += 1;
      }
    }
  }
  // The last one may not end, which is an error of that game alone.
  if (depth > 0) count += 1;
  return { first: first ?? text, count };
}
