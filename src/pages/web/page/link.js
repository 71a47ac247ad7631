// The connection to the feed, which reconnects whenever it is lost.

import { socketUrl } from './urls.js';

// The wait before reconnecting, in milliseconds.
const MIN_WAIT = 500;
const MAX_WAIT = 10_000;
// The feed sends a heartbeat every 15 s.
const SILENCE = 40_000;

/**
 * Keeps a connection. Calls `onMessage(message)` for each message and `onChange(isConnected)`
 * when it is established or lost.
 */
export function keep(onMessage, onChange) {
  let wait = MIN_WAIT;
  let socket;
  let silence;
  let again;

  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(), SILENCE);
  };

  const lost = () => {
    clearTimeout(silence);
    onChange(false);
    // Random, so that not all pages reconnect at once when the server is back.
    again = setTimeout(connect, wait * (0.5 + Math.random()));
    wait = Math.min(MAX_WAIT, wait * 2);
  };

  const connect = () => {
    clearTimeout(again);
    socket = new WebSocket(socketUrl('watch'));
    let first = true;
    socket.addEventListener('message', event => {
      listen();
      if (first) {
        first = false;
        wait = MIN_WAIT;
        onChange(true);
      }
      onMessage(JSON.parse(event.data));
    });
    socket.addEventListener('close', lost, { once: true });
    listen();
  };

  addEventListener('online', () => {
    if (socket.readyState === WebSocket.CLOSED) connect();
  });
  connect();
}
