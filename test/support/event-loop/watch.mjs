import { appendFileSync, openSync, readSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';
import { performance, PerformanceObserver } from 'node:perf_hooks';

/**
 * Loaded by `node --import` before the program. It writes a line of JSON to the file EVENT_LOOP_REPORT for
 * every slow turn of the event loop. A turn is slow if the main thread itself used the processor for
 * EVENT_LOOP_MILLISECONDS or longer, without garbage collection. The line contains the duration, the requests
 * in progress, and the number of earlier requests. Time in which other processes had the processor does not
 * count, so a busy machine makes no difference. Linux only: the time of a single thread is read from /proc.
 */
const file = process.env.EVENT_LOOP_REPORT;
const limit = Number(process.env.EVENT_LOOP_MILLISECONDS);
const TICK_MILLISECONDS = 2;

const schedule = openSync('/proc/thread-self/schedstat', 'r');
const buffer = Buffer.alloc(128);

/** The processor time of the main thread, in milliseconds. */
function processorTime() {
  const length = readSync(schedule, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
}

/** `GET /people/{}/timeline`: without the query, and without ids, which have digits, dots or underscores. */
function routeOf({ method, url }) {
  const path = url
    .split('?', 1)[0]
    .split('/')
    .map((segment) => (segment !== 'v1' && /[\d._]/.test(segment) ? '{}' : segment));
  return `${method} ${path.join('/')}`;
}

let requestsSoFar = 0;
const counts = new Map();
const inFlight = new Map();
let begun = [];
subscribe('http.server.request.start', ({ request }) => {
  const route = routeOf(request);
  const one = { route, nth: (counts.get(route) ?? 0) + 1 };
  requestsSoFar += 1;
  counts.set(route, one.nth);
  inFlight.set(request, one);
  begun.push(one);
});
subscribe('http.server.response.finish', ({ request }) => inFlight.delete(request));

let collections = [];
new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({ entryTypes: ['gc'] });

/** Slow turns that wait for the report of the garbage collections within them. */
let suspects = [];
let last = { at: performance.now(), used: processorTime(), requests: [] };

setInterval(() => {
  const now = { at: performance.now(), used: processorTime(), requests: [...inFlight.values()] };
  const used = now.used - last.used;
  if (used >= limit)
    suspects.push({ from: last.at, to: now.at, used, requests: [...new Set([...last.requests, ...begun])] });
  else report();
  last = now;
  begun = [];
}, TICK_MILLISECONDS).unref();

function report() {
  for (const { from, to, used, requests } of suspects) {
    const collecting = collections
      .filter((one) => one.startTime < to && one.startTime + one.duration > from)
      .reduce((sum, one) => sum + one.duration, 0);
    if (used - collecting >= limit)
      appendFileSync(
        file,
        `${JSON.stringify({ milliseconds: Math.round(used - collecting), requests, requestsSoFar })}\n`,
      );
  }
  suspects = [];
  collections = [];
}
