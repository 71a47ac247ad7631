// The connection to the feed, which is made again whenever it is lost.

const SHORTEST = 500;
const LONGEST = 10_000;
// The feed says that it is alive every 15 s.
const SILENCE = 40_000;

/**
 * Keeps a connection. `heard(message)` is called for each message,
 * `changed(isConnected)` when it is made or lost.
 */
export function keep(heard, changed) {
  let wait = SHORTEST;
  let socket;
  let silence;
  let again;

  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(), SILENCE);
  };

  const lost = () => {
    clearTimeout(silence);
    changed(false);
    // Not all at the same moment, if the server comes back.
    again = setTimeout(connect, wait * (0.5 + Math.random()));
    wait = Math.min(LONGEST, wait * 2);
  };

  const connect = () => {
    clearTimeout(again);
    const url = new URL('/watch', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.hash = '';
    socket = new WebSocket(url);
    let first = true;
    socket.addEventListener('message', event => {
      listen();
      if (first) {
        first = false;
        wait = SHORTEST;
        changed(true);
      }
      heard(JSON.parse(event.data));
    });
    socket.addEventListener('close', lost, { once: true });
    listen();
  };

  addEventListener('online', () => {
    if (socket.readyState === WebSocket.CLOSED) connect();
  });
  connect();
}
