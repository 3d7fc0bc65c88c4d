/**
 * Loaded into the traced process before the program (`node --import`). Every function of the instrumented
 * copy calls `__trace`, which knows from the asynchronous context which function called it. The parent
 * process asks for a recording by IPC:
 *
 * - `{ begin: 'request' }`: records calls on behalf of HTTP requests with the header `x-traced`;
 * - `{ begin: 'delivery' }`: records calls below functions of libs/webhooks, outside HTTP requests;
 * - `{ end: true }`: ends it and sends the calls, in their order, as
 *   `[called function, calling function or null]`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { Server } from 'node:http';

const functions = JSON.parse(readFileSync(process.env.TRACED_FUNCTIONS, 'utf8'));
const frames = new AsyncLocalStorage();
let recording = null;

function enter(id) {
  const caller = frames.getStore() ?? null;
  const isWebhooks = (caller?.isWebhooks ?? false) || functions[id].file.startsWith('libs/webhooks/');
  const frame = { id, caller, request: caller?.request ?? null, isWebhooks };
  if (recording === null) return frame;
  const counts = recording.kind === 'request' ? frame.request === 'traced' : frame.request === null && isWebhooks;
  if (counts) recording.calls.push([id, caller?.id ?? null, isWithin(frame)]);
  return frame;
}

/**
 * Whether the function is written inside one that has called, or caused, this call: a callback of a caller.
 */
function isWithin({ id, caller }) {
  const { within } = functions[id];
  for (let frame = caller; within !== null && frame !== null; frame = frame.caller)
    if (frame.id === within) return true;
  return false;
}

globalThis.__trace = {
  run: (id, body) => frames.run(enter(id), body),
  note: (id) => void enter(id),
};

const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...values) {
  // The parser's own context, so that handlers of the body belong to the request too.
  if (event === 'request') {
    const isTraced = values[0].headers['x-traced'] !== undefined;
    frames.enterWith({ id: null, caller: null, request: isTraced ? 'traced' : 'other', isWebhooks: false });
  }
  return emit.call(this, event, ...values);
};

process.on('message', ({ begin, end }) => {
  if (begin !== undefined) recording = { kind: begin, calls: [] };
  if (end !== true) return;
  process.send({ calls: recording.calls });
  recording = null;
});
// The parent process has ended: shut down cleanly, and PostgreSQL with it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
