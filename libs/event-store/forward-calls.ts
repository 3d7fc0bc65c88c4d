import type { Append, EventStore } from './event-store.js';

/**
 * A store that forwards every call to another store, for wrappers of a few calls: `{ ...forwardCalls(store),
 * append }`.
 */
export function forwardCalls(store: EventStore): EventStore {
  return aroundCalls(store, (_, call) => call());
}

const CALLS = [
  'append',
  'importEvents',
  'readStream',
  'readStreams',
  'readAll',
  'readRecorded',
  'head',
  'holds',
  'settle',
] as const;

/** A call of a store with a single result. */
export type StoreCall = (typeof CALLS)[number];

/** Makes a call of a store. `appends` are the call's appends, empty for other calls. */
export type CallMaker = <Result>(
  name: StoreCall,
  call: () => Promise<Result>,
  appends: readonly Append[],
) => Promise<Result>;

/** The same store, whose calls with a single result go through a function. */
export function aroundCalls(store: EventStore, make: CallMaker): EventStore {
  const call = (name: StoreCall, parameters: readonly unknown[]): Promise<unknown> =>
    (store[name] as (...values: readonly unknown[]) => Promise<unknown>).apply(store, [...parameters]);
  const calls = CALLS.map((name) => [
    name,
    (...parameters: readonly unknown[]) => make(name, () => call(name, parameters), appendsOf(name, parameters)),
  ]);
  return {
    ...(Object.fromEntries(calls) as Pick<EventStore, StoreCall>),
    capabilities: store.capabilities,
    subscribe: (subscription) => store.subscribe(subscription),
    scanCategory: (...parameters) => store.scanCategory(...parameters),
    close: () => store.close(),
  };
}

function appendsOf(name: StoreCall, parameters: readonly unknown[]): readonly Append[] {
  if (name !== 'append') return [];
  const [stream, expected, events] = parameters as Parameters<EventStore['append']>;
  return [{ stream, expected, events }];
}
