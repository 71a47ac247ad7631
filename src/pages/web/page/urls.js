// Addresses of the server. They are relative to the page's, so that a reverse proxy can serve it
// under any path.

/** Returns the URL of a WebSocket at the server that the page is from. */
export function socketUrl(path) {
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  url.search = '';
  url.hash = '';
  return url;
}
