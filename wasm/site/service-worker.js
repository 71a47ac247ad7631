// Keeps the page for use without a connection. `wasm/build` writes the version and the files, each with the
// hash of its content, into the first lines.
//
// All files but a few have the version in their address. So a page that was opened before a new version goes on
// with its own files, and the next load has the new ones: never some of each.

const VERSION = '';
const FILES = {};

const { scope } = registration;
// Other pages may be at the same host. The page deletes what begins with it when the folder is gone.
const PREFIX = `gothello ${scope} `;
const CACHE = PREFIX + VERSION;
const PAGES = ['./', 'index.html'].map(path => new URL(path, scope).href);
// A file with more positions that may be beside the page.
const TABLEBASE = new URL('gothello.tablebase', scope).href;
const TABLEBASE_CACHE = `${PREFIX}tablebase`;
// How it begins.
const MAGIC = 'gothpack';
// The responses that say that a file is not there anymore. Others are faults of the server.
const GONE = [404, 410];

/**
 * Makes a response that can be stored: without headers that bind it to a request, and as if it had not been
 * redirected, since a page must not be.
 */
async function storable(response) {
  const names = ['content-type', 'etag', 'last-modified'].filter(name => response.headers.has(name));
  const headers = names.map(name => [name, response.headers.get(name)]);
  return new Response(await response.blob(), { headers, status: response.status });
}

/** Stores a file. With another content than that of this version it is refused. */
async function keep(cache, path, integrity) {
  const load = way => fetch(path, { integrity, cache: way });
  // What the browser has may be something else that was sent in place of it.
  const response = await load(path.includes(VERSION) ? 'default' : 'no-cache').catch(() => load('reload'));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await cache.put(path, await storable(response));
}

async function install() {
  // The same version may be in use.
  const isNew = !await caches.has(CACHE);
  const cache = await caches.open(CACHE);
  try {
    await Promise.all(Object.entries(FILES).map(([path, integrity]) => keep(cache, path, integrity)));
  } catch (error) {
    // A part of a version is of no use, and takes the room of another one.
    if (isNew) await caches.delete(CACHE);
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

/** The headers of a request for a file only if it is another one than `kept`. */
function unless(kept) {
  const [tag, time] = ['etag', 'last-modified'].map(name => kept?.headers.get(name));
  return tag ? { 'If-None-Match': tag } : time ? { 'If-Modified-Since': time } : {};
}

/** Loads the tablebase beside the page if it is another one than `kept`, and keeps it. Returns the response. */
async function loadTablebase(kept) {
  // The cache of the browser would have a second copy of it, or none to compare with.
  const response = await fetch(TABLEBASE, { cache: 'no-store', headers: unless(kept) });
  if (GONE.includes(response.status)) await caches.delete(TABLEBASE_CACHE);
  if (!response.ok) return response;
  const answer = await storable(response);
  // A page may have been sent in place of it, and there may be no room for it.
  const begins = await (await answer.clone().blob()).slice(0, MAGIC.length).text();
  const store = async () => (await caches.open(TABLEBASE_CACHE)).put(TABLEBASE, answer.clone());
  if (begins === MAGIC) await store().catch(() => {});
  return answer;
}

/** Returns the tablebase that was kept, while another one is loaded for the next visit; without one, loads it. */
async function tablebase(event) {
  const kept = await caches.match(TABLEBASE, { cacheName: TABLEBASE_CACHE });
  if (!kept) return loadTablebase();
  event.waitUntil(loadTablebase(kept).catch(() => {}));
  return kept;
}

/** Returns what is kept for an address; undefined if there is nothing, or the browser refuses to say. */
async function keptFor(url) {
  try {
    // An open page may still need the files of the version before.
    const others = (await caches.keys()).filter(name => name.startsWith(PREFIX) && name !== CACHE);
    for (const name of [CACHE, ...others]) {
      const kept = await (await caches.open(name)).match(url);
      if (kept) return kept;
    }
  } catch {
    // Then the server is asked.
  }
  return undefined;
}

async function answer(event) {
  const { request } = event;
  // The page asks for it to learn whether its folder is still there. Without a connection it learns nothing.
  if (request.url === location.href) return fetch(request).catch(() => new Response(null, { status: 204 }));
  if (request.url === TABLEBASE) return tablebase(event).catch(() => fetch(request));
  const url = new URL(request.url);
  const page = url.origin + url.pathname;
  // What follows the address of the page says how it is shown.
  return await keptFor(PAGES.includes(page) ? page : url.href) ?? fetch(request);
}

addEventListener('install', event => event.waitUntil(install()));
addEventListener('activate', event => event.waitUntil(activate()));
addEventListener('fetch', event => {
  const { request } = event;
  if (request.method === 'GET' && request.url.startsWith(scope)) event.respondWith(answer(event));
});
