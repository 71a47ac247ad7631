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

/** Deletes the caches of this page that `isOld` chooses. */
async function forget(isOld) {
  const names = await caches.keys();
  await Promise.all(names.filter(name => name.startsWith(PREFIX) && isOld(name)).map(name => caches.delete(name)));
}

async function activate() {
  const addresses = async type => (await clients.matchAll({ type, includeUncontrolled: true })).map(({ url }) => url);
  const pages = (await addresses('window')).filter(url => PAGES.includes(url.split(/[?#]/)[0]));
  const workers = (await addresses('worker')).filter(url => url.startsWith(`${scope}files-`));
  // An open page still needs the files of its version, which the address of its worker names.
  const used = [CACHE, TABLEBASE_CACHE, ...workers.map(url => PREFIX + url.slice(scope.length).split('/')[0])];
  // A page that still loads has no worker, and may be of any version.
  if (workers.length >= pages.length) await forget(name => !used.includes(name));
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

/** Loads this script, as the page asks. If it is gone, so is the folder of the page: then forgets all that was kept. */
async function ownScript(request) {
  // Without a connection nothing is known.
  const response = await fetch(request).catch(() => new Response(null, { status: 204 }));
  if (GONE.includes(response.status)) {
    await registration.unregister();
    await forget(() => true);
  }
  return response;
}

async function answer(event) {
  const { request } = event;
  if (request.url === location.href) return ownScript(request);
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
