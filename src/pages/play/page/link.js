// The questions and searches of the page, over a channel that is opened again whenever it is lost.

import { openChannel } from './channel.js';

const MIN_WAIT = 500;
const MAX_WAIT = 8_000;
// A search for which there was no room is asked for again after this time.
const BUSY_WAIT = 3_000;
// The longest question in bytes. The server closes the connection on a message of more than 64 KiB,
// which has the number of the question, too.
const MAX_QUESTION = 64 * 1024 - 64;

// Sends a message to what answers; null without a channel.
let send = null;
// Whether it has let this page in.
let isWelcome = false;
// Why it has not.
let refusal = null;
let wait = MIN_WAIT;
let number = 0;
let onChange = () => {};
// Questions that are not answered yet, by their numbers: they are asked again when the
// connection is back.
const open = new Map();
// The searches that run: at most one about a position, and one review.
const searches = new Map();

function connect() {
  send = openChannel(receive, why => {
    isWelcome = false;
    onChange(false, refusal ?? why);
    refusal = null;
    setTimeout(connect, wait * (0.5 + Math.random()));
    wait = Math.min(MAX_WAIT, wait * 2);
  });
}

function transmit(id, question) {
  if (isWelcome) send({ id, ...question });
}

/** The server has let this page in. */
function enter() {
  isWelcome = true;
  wait = MIN_WAIT;
  for (const [id, { question }] of open) transmit(id, question);
  for (const { id, question } of searches.values()) transmit(id, question);
  onChange(true);
}

function receive(response) {
  if (response.type === 'welcome') return enter();
  if (response.type === 'no-room') {
    refusal = response.why;
    return;
  }
  const asked = open.get(response.id);
  if (asked) {
    open.delete(response.id);
    if (response.type === 'error') asked.reject(new Error(response.why));
    else asked.resolve(response);
    return;
  }
  const search = [...searches.values()].find(({ id }) => id === response.id);
  if (!search) return;
  if (response.type === 'busy') {
    const { id, question } = search;
    clearTimeout(search.retry);
    search.retry = setTimeout(() => [...searches.values()].includes(search) && transmit(id, question), BUSY_WAIT);
  }
  search.onState(response);
}

/**
 * Keeps a connection; calls `listener(isConnected, why)` when it is there or lost, with the reason
 * if it is known.
 */
export function keep(listener) {
  onChange = listener;
  connect();
}

/** Asks a question that is answered at once. The promise is rejected if the server says why not. */
export function ask(question) {
  if (new TextEncoder().encode(JSON.stringify(question)).length > MAX_QUESTION) {
    return Promise.reject(new Error('this is too long for a game'));
  }
  const id = ++number;
  return new Promise((resolve, reject) => {
    open.set(id, { question, resolve, reject });
    transmit(id, question);
  });
}

const kindOf = question => question.ask === 'review' ? 'review' : 'position';

/**
 * Starts a search in place of the one of its kind that runs. `onState` is called with each
 * message about it.
 */
export function startSearch(question, onState) {
  const id = ++number;
  searches.set(kindOf(question), { id, question, onState });
  transmit(id, question);
}

/** Stops the search about a position. */
export function stopSearch() {
  if (searches.delete('position')) transmit(++number, { ask: 'stop' });
}

/** Stops the review. */
export function stopReview() {
  if (searches.delete('review')) transmit(++number, { ask: 'stop-review' });
}
