// Answers questions with the WebAssembly module of the page: node wasm_core.mjs MODULE TABLEBASE. For each line of
// standard input it prints the number of positions searched so far, the time in milliseconds, the memory in bytes,
// and the last response.

import { readFileSync } from 'node:fs';

const [module, tablebase] = process.argv.slice(2).map(name => readFileSync(name));
const page = { now: () => performance.now(), random: () => 0 };
const { instance: { exports } } = await WebAssembly.instantiate(module, { page });

function write(bytes) {
  const place = exports.input(bytes.length);
  new Uint8Array(exports.memory.buffer, place, bytes.length).set(bytes);
}

const read = length => new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.output(), length));

write(tablebase);
const why = read(exports.load_tablebase());
if (why) throw new Error(why);
for (const question of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const since = performance.now();
  write(new TextEncoder().encode(question));
  let response = read(exports.receive());
  // One slice is long enough.
  while (exports.is_searching()) {
    const length = exports.search(1e9);
    if (length) response = read(length);
  }
  const { memory } = exports;
  console.log([exports.positions(), performance.now() - since, memory.buffer.byteLength, response].join('\t'));
}
