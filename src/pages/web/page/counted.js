// Numbers with nouns.

/** A number and a noun, which is in the plural unless the number is 1. */
export const counted = (number, noun, plural = `${noun}s`) => `${number} ${number === 1 ? noun : plural}`;
