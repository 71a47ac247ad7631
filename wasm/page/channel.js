// The way to what answers the page: a worker, without a server.

import { notice } from '../page/notices.js';
import { embedded } from './embed.js';

/** Returns a part of the page in its one file, in Base64; null if it is in a file of its own. */
const inFile = name => document.getElementById(name)?.textContent ?? null;

// Parts of the program are beside this file; other files, beside the page.
const beside = name => new URL(name, import.meta.url).href;
const besidePage = name => new URL(name, document.baseURI).href;
document.getElementById('not-started')?.remove();
// Pages in files load nothing.
const isServed = location.protocol.startsWith('http');

/**
 * Keeps the page for use without a connection, where the browser can; not for a frame. If its folder was deleted, loads
 * what the server has now.
 */
async function keepOffline() {
  const { serviceWorker } = navigator;
  if (!isServed || embedded || inFile('worker.js') || !serviceWorker) return;
  const script = besidePage('service-worker.js');
  if (!await serviceWorker.getRegistration()) return serviceWorker.register(script);
  // The service worker unregisters itself if its script is gone.
  await fetch(script, { cache: 'no-store' });
  if (!await serviceWorker.getRegistration()) location.reload();
}

function start() {
  const script = inFile('worker.js');
  const url = script ? URL.createObjectURL(new Blob([atob(script)], { type: 'text/javascript' })) : beside('worker.js');
  const worker = new Worker(url);
  // The worker decodes what is large.
  const partOf = name => inFile(name) ? { text: inFile(name) } : { url: beside(name) };
  const [program, tablebase] = ['gothello.wasm', 'gothello.tablebase'].map(partOf);
  // A page may have many frames.
  worker.postMessage({ program, tablebase, larger: isServed && !embedded ? { url: besidePage('gothello.tablebase') } : null });
  return worker;
}

let worker = null;
// The most bytes of each kind of file, which the worker tells when it can take files.
let tell;
let limits;
const awaitLimits = () => { limits = new Promise(resolve => { tell = resolve; }); };
awaitLimits();
// The files that the worker has, by number: what to do with its responses, and without one.
const files = new Map();
let number = 0;

/**
 * Opens a channel. `onMessage` is called with each message, `onClose` once when the channel is lost, with the
 * reason if it is known. Returns a function that sends a message.
 */
export function openChannel(onMessage, onClose) {
  try {
    worker = start();
  } catch (error) {
    onClose(`The page cannot start: ${error.message}.`);
    return () => {};
  }
  worker.addEventListener('message', ({ data }) => {
    if (data.limits) {
      // What the page needs at once is loaded first.
      keepOffline().catch(() => {});
      return tell(data.limits);
    }
    if (data.notice) return notice(data.notice);
    if (typeof data === 'string') return onMessage(JSON.parse(data));
    files.get(data.id).resolve(data);
    files.delete(data.id);
  });
  worker.addEventListener('error', () => {
    worker.terminate();
    // Other files wait for the next worker.
    const tellBefore = tell;
    awaitLimits();
    tellBefore(limits);
    for (const { reject } of files.values()) reject(new Error('the program that reads and writes files has failed'));
    files.clear();
    onClose();
  }, { once: true });
  return message => worker.postMessage(JSON.stringify(message));
}

/** Sends a file to `open`, `open/` and the index of a game, or `save`. Returns the response as a Blob. */
export async function transfer(to, body) {
  const content = new Blob([body]);
  const { open, save } = await limits;
  const most = to === 'save' ? save : open;
  if (content.size > most) throw new Error(`a file has at most ${most} bytes`);
  const bytes = new Uint8Array(await content.arrayBuffer());
  // The worker may be another one now.
  await limits;
  const id = ++number;
  const { why, file } = await new Promise((resolve, reject) => {
    files.set(id, { resolve, reject });
    worker.postMessage({ id, to, bytes });
  });
  if (why) throw new Error(why);
  return new Blob([file]);
}
