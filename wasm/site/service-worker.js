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
// The responses that say that there is none anymore. Others are faults of the server.
const GONE = [404, 410];

/** Stores a file. With another content than that of this version it is refused. */
async function keep(cache, path, integrity) {
  const response = await fetch(path, { integrity, cache: path.includes(VERSION) ? 'default' : 'no-cache' });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  // A page may not be answered with what was redirected.
  const { headers, status } = response;
  await cache.put(path, new Response(await response.blob(), { headers, status }));
}

async function install() {
  const cache = await caches.open(CACHE);
  await Promise.all(Object.entries(FILES).map(([path, integrity]) => keep(cache, path, integrity)));
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
  let response;
  try {
    response = await fetch(request, { cache: 'no-cache' });
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
  if (response.ok) {
    // There may be no room for it.
    if (!kept || tagOf(kept) !== tagOf(response)) cache.put(request, response.clone()).catch(() => {});
    return response;
  }
  if (GONE.includes(response.status)) await cache.delete(request);
  else if (kept) return kept;
  return response;
}

async function answer(request) {
  const url = new URL(request.url);
  // What is asked for says how the page is shown.
  url.search = '';
  if (url.href === TABLEBASE) return tablebase(request);
  const cache = await caches.open(CACHE);
  return await cache.match(url) ?? await caches.match(url) ?? fetch(request);
}

addEventListener('install', event => event.waitUntil(install()));
addEventListener('activate', event => event.waitUntil(activate()));
addEventListener('fetch', event => {
  const { request } = event;
  if (request.method === 'GET' && request.url.startsWith(scope)) event.respondWith(answer(request));
});
