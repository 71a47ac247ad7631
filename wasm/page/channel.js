// The way to what answers the page: a worker, without a server.

/** Returns a part of the page in its one file; null if it is in a file of its own. */
function embedded(name) {
  const text = document.getElementById(name)?.textContent;
  return text ? Uint8Array.from(atob(text), letter => letter.charCodeAt(0)) : null;
}

const beside = name => new URL(name, import.meta.url).href;

function start() {
  const script = embedded('worker.js');
  const url = script ? URL.createObjectURL(new Blob([script], { type: 'text/javascript' })) : beside('worker.js');
  const worker = new Worker(url);
  const [program, tablebase] = ['gothello.wasm', 'gothello.tablebase'].map(name => embedded(name) ?? beside(name));
  worker.postMessage({ program, tablebase });
  return worker;
}

/**
 * Opens a channel. `onMessage` is called with each message, `onClose` once when the channel is lost. Returns a
 * function that sends a message.
 */
export function openChannel(onMessage, onClose) {
  const worker = start();
  worker.addEventListener('message', event => onMessage(JSON.parse(event.data)));
  worker.addEventListener('error', () => {
    worker.terminate();
    onClose();
  }, { once: true });
  return message => worker.postMessage(JSON.stringify(message));
}
