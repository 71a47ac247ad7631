// The connection to the feed, which reconnects whenever it is lost.

import { socketUrl } from './urls.js';

// The wait before reconnecting, in milliseconds.
const MIN_WAIT = 500;
const MAX_WAIT = 10_000;
// The feed sends a heartbeat every 15 s.
const SILENCE = 40_000;

// The code of a close frame: there is no room now.
const TRY_AGAIN_LATER = 1013;

/**
 * Keeps a connection with these subprotocols. Calls `onMessage(message)` for each message and
 * `onChange(isConnected, why)` when it is established or lost. `why` is what the server says if it
 * has no room.
 */
export function keep(protocols, onMessage, onChange) {
  let wait = MIN_WAIT;
  let socket;
  let silence;
  let again;

  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(), SILENCE);
  };

  const lost = ({ code, reason }) => {
    clearTimeout(silence);
    onChange(false, code === TRY_AGAIN_LATER ? reason : '');
    // Random, so that not all pages reconnect at once when the server is back.
    again = setTimeout(connect, wait * (0.5 + Math.random()));
    wait = Math.min(MAX_WAIT, wait * 2);
  };

  const connect = () => {
    clearTimeout(again);
    socket = new WebSocket(socketUrl('watch'), protocols());
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
