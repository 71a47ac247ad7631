// Answers the page in a Web Worker, with the rules, the players and the solver in WebAssembly. Between two
// slices of a search it takes messages, so that a search can be stopped.

// In milliseconds.
const SLICE = 50;
const LONGEST_WAIT = 5_000;
const NO_MEMORY = 'there is not enough memory for it';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
let exports = null;
// Whether what searches look up is there.
let isLoaded = false;
let isAwake = false;

/** Returns the bytes of a part: those of its text in Base64, or those at its address; null if there is nothing. */
async function load({ text, url }) {
  if (text) return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const response = await fetch(url);
  // Some servers send a page in place of a file that they do not have.
  const isFile = response.ok && !response.headers.get('content-type')?.includes('html');
  return isFile ? new Uint8Array(await response.arrayBuffer()) : null;
}

/** Writes a message for the module. Returns whether there is enough memory. */
function write(bytes) {
  const place = exports.input(bytes.length) >>> 0;
  if (place) new Uint8Array(exports.memory.buffer, place, bytes.length).set(bytes);
  return place !== 0;
}

const read = length => new Uint8Array(exports.memory.buffer, exports.output() >>> 0, length).slice();

/** Sends the response of this length to the page, if there is one. */
function respond(length) {
  if (length > 0) postMessage(decoder.decode(read(length)));
}

/** Opens a file, or one of its games, or writes the file that a game is saved as. */
function transfer({ id, to, bytes }) {
  if (!write(bytes)) return postMessage({ id, why: NO_MEMORY });
  const game = to.startsWith('open/') ? Number(to.slice('open/'.length)) : -1;
  const length = to === 'save' ? exports.save_file() : exports.open_file(game);
  postMessage(length < 0 ? { id, why: decoder.decode(read(-length)) } : { id, file: read(length) });
}

function receive({ data }) {
  if (typeof data !== 'string') return transfer(data);
  if (!write(encoder.encode(data))) throw new RangeError(NO_MEMORY);
  respond(exports.receive());
  wake();
}

// A message to itself comes after those that the page has sent meanwhile, and without the delay of a timer.
const { port1: alarm, port2: bell } = new MessageChannel();
alarm.onmessage = () => {
  isAwake = false;
  if (!exports.is_searching()) return;
  respond(exports.search(SLICE));
  wake();
};

/** Goes on with the searches. */
function wake() {
  if (isAwake || !isLoaded || !exports.is_searching()) return;
  isAwake = true;
  bell.postMessage(null);
}

/** Looks positions up in a tablebase, if there is one and it has more of them. Returns why it cannot, if it cannot. */
function use(tablebase) {
  if (!tablebase) return '';
  if (!write(tablebase)) return NO_MEMORY;
  return decoder.decode(read(exports.load_tablebase()));
}

/** Begins with the parts that the page says, and lets the page in. */
async function begin({ data: { program, tablebase, larger } }) {
  const values = load(tablebase).catch(() => null);
  const page = { now: () => performance.now(), random: Math.random };
  const module = await load(program);
  if (!module) throw new Error('gothello.wasm is not loaded');
  const { instance } = await WebAssembly.instantiate(module, { page });
  exports = instance.exports;
  onmessage = receive;
  postMessage({ limits: { open: exports.max_opened(), save: exports.max_saved() } });
  postMessage(JSON.stringify({ id: null, type: 'welcome' }));
  // Without it, searches only take longer, as they do until a slow network has brought it.
  await Promise.race([values.then(use), new Promise(resolve => setTimeout(resolve, LONGEST_WAIT))]);
  isLoaded = true;
  wake();
  // A file with more positions may be beside the page.
  const why = use(larger && await load(larger).catch(() => null));
  if (why) postMessage({ notice: `The file gothello.tablebase beside the page is not used: ${why}.` });
}

onmessage = event => begin(event).catch(error => {
  postMessage(JSON.stringify({ id: null, type: 'no-room', why: `The page cannot start: ${error.message}.` }));
  setTimeout(() => { throw error; });
});
