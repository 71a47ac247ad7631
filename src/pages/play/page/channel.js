// The way to what answers the page: the server.

import { socketUrl } from '../page/urls.js';

/**
 * Opens a channel. `onMessage` is called with each message, `onClose` once when the channel is lost, with the
 * reason. Returns a function that sends a message.
 */
export function openChannel(onMessage, onClose) {
  const socket = new WebSocket(socketUrl('ask'));
  socket.addEventListener('message', event => onMessage(JSON.parse(event.data)));
  socket.addEventListener('close', () => onClose('The connection is lost.'), { once: true });
  return message => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
}

/** Sends a file to `open`, `open/` and the index of a game, or `save`. Returns the response as a Blob. */
export async function transfer(to, body) {
  const response = await fetch(to, { method: 'POST', body });
  if (!response.ok) throw new Error(await response.text());
  return response.blob();
}
