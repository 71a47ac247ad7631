// The text of an SGF file, whatever its encoding.

const MARKS = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] };
// The property CA of the first node, after others whose values may have anything but `]`.
const NAMED = /^[^;]*;(?:[^[;]|\[(?:\\[^]|[^\]\\])*\])*?\bCA\s*\[\s*([\w-]+)\s*\]/;

/**
 * Decodes the bytes of a file: by the byte order mark, or else as the file names its encoding, or
 * else as UTF-8 if they can be, and as ISO 8859-1 if they cannot.
 */
export function decode(bytes) {
  const marked = Object.keys(MARKS).find(label => MARKS[label].every((byte, index) => bytes[index] === byte));
  const western = new TextDecoder('windows-1252').decode(bytes);
  // UTF-16 it cannot be: its bytes would not read as this name.
  const named = NAMED.exec(western)?.[1].replace(/^utf-?16.*/i, 'utf-8');
  return decodeAs(marked ?? named, bytes) ?? decodeAs('utf-8', bytes, { fatal: true }) ?? western;
}

/** Decodes bytes; null if there is no such encoding, or they are not of it and that is fatal. */
function decodeAs(label, bytes, options) {
  try {
    return label ? new TextDecoder(label, options).decode(bytes) : null;
  } catch {
    return null;
  }
}
