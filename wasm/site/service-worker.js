// Keeps the page for use without a connection. `wasm/build` writes the version and the files, each with the
// hash of its content, into the first lines.
//
// All files but a few have the version in their address. So a page that was opened before a new version goes on
// with its own files, and the next load has the new ones: never some of each.

const VERSION = '';
const FILES = {};

const { scope } = registration;
// Other pages may be at the same host.
const PREFIX = `gothello ${scope} `;
const CACHE = PREFIX + VERSION;
// A file with more positions that may be beside the page.
const TABLEBASE = new URL('gothello.tablebase', scope).href;
const TABLEBASE_CACHE = `${PREFIX}tablebase`;
// How it begins.
const MAGIC = 'gothpack';
// The responses that say that there is none anymore. Others are faults of the server.
const GONE = [404, 410];

/** Stores a file. With another content than that of this version it is refused. */
async function keep(cache, path, integrity) {
  const load = way => fetch(path, { integrity, cache: way });
  // What the browser has may be something else that was sent in place of it.
  const response = await load(path.includes(VERSION) ? 'default' : 'no-cache').catch(() => load('reload'));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  // A page may not be answered with what was redirected.
  const { headers, status } = response;
  await cache.put(path, new Response(await response.blob(), { headers, status }));
}

async function install() {
  const cache = await caches.open(CACHE);
  try {
    await Promise.all(Object.entries(FILES).map(([path, integrity]) => keep(cache, path, integrity)));
  } catch (error) {
    // A part of a version is of no use, and takes the room of another one.
    await caches.delete(CACHE);
    throw error;
  }
  await skipWaiting();
}

async function activate() {
  const names = await caches.keys();
  const others = names.filter(name => name.startsWith(PREFIX) && name !== CACHE && name !== TABLEBASE_CACHE);
  // An open page may still need the files of the version before.
  await Promise.all(others.slice(0, -1).map(name => caches.delete(name)));
  await clients.claim();
}

const tagOf = response => response?.headers.get('etag') ?? response?.headers.get('last-modified');

/** Returns the tablebase beside the page, and keeps it; if it cannot be had now, the one that was kept. */
async function tablebase(request) {
  const cache = await caches.open(TABLEBASE_CACHE);
  const kept = await cache.match(request);
  try {
    const response = await fetch(request, { cache: 'no-cache' });
    if (GONE.includes(response.status)) {
      await cache.delete(request);
      return response;
    }
    if (!response.ok) return kept ?? response;
    const file = await response.blob();
    const { headers, status } = response;
    const answer = new Response(file, { headers, status });
    // A page may have been sent in place of it.
    if (await file.slice(0, MAGIC.length).text() !== MAGIC) return kept ?? answer;
    // There may be no room for it.
    if (!kept || tagOf(kept) !== tagOf(response)) cache.put(request, answer.clone()).catch(() => {});
    return answer;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

/** Returns what is kept for an address; undefined if there is nothing, or the browser refuses to say. */
async function keptFor(url) {
  try {
    const cache = await caches.open(CACHE);
    return await cache.match(url) ?? await caches.match(url);
  } catch {
    return undefined;
  }
}

async function answer(request) {
  const url = new URL(request.url);
  // What is asked for says how the page is shown.
  url.search = '';
  if (url.href === TABLEBASE) return tablebase(request).catch(() => fetch(request));
  return await keptFor(url) ?? fetch(request);
}

addEventListener('install', event => event.waitUntil(install()));
addEventListener('activate', event => event.waitUntil(activate()));
addEventListener('fetch', event => {
  const { request } = event;
  if (request.method === 'GET' && request.url.startsWith(scope)) event.respondWith(answer(request));
});
