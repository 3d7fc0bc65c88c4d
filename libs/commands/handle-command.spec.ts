import type { DomainEvent } from '#kernel/aggregate.js';
import { RejectedError } from '#kernel/rejection.js';
import type { CommandContext } from './command-context.js';
import { type EventStore, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { eventIdOf, handleCommand, isRecorded, type StreamCommand } from './handle-command.js';
import { IdempotencyMismatchError } from './idempotency-errors.js';
import { firstBrokenLink } from '../../test/support/hash-chain.js';
import { sessionOver } from '../../test/support/write-session.js';
import { MemoryEventStore } from '../../test/support/memory-event-store.js';

type Added = DomainEvent<'Added', { number: number }>;

const STREAM = 'sum-org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA.one';
let store: MemoryEventStore;
let decided: number;

beforeEach(() => {
  store = new MemoryEventStore();
  decided = 0;
});

function context(key: string | null, more: Partial<CommandContext> = {}): CommandContext {
  const actor = { type: 'api_key', id: 'key_1' } as const;
  return {
    organisationId: 'org',
    actor,
    requestId: 'req',
    idempotencyKey: key,
    fingerprint: 'print',
    seed: ['org', 'key_1', key ?? ''],
    today: '2026-01-01',
    ...more,
  };
}

function add(numbers: readonly number[], more: Partial<StreamCommand<number, Added>> = {}): StreamCommand<number, Added> {
  return {
    stream: STREAM,
    initial: 0,
    evolve: (sum, event) => sum + event.data.number,
    decide: () => {
      decided += 1;
      return { events: numbers.map((number) => ({ type: 'Added', data: { number } })) };
    },
    onConflict: 'decide_again',
    ...more,
  };
}

/** The same store, where another request appends just before each of the first appends. */
function overtaken(times: number): EventStore {
  const other = Object.create(store) as EventStore;
  let left = times;
  other.append = async (...parameters) => {
    if (left > 0) {
      left -= 1;
      await handleCommand(store, context(`other ${left}`), add([100]));
    }
    return store.append(...parameters);
  };
  return other;
}

describe('a command', () => {
  it('appends what was decided, and answers with the state after it', async () => {
    expect(await handleCommand(store, context('a'), add([1, 2]))).toMatchObject({ state: 3, revision: 1, outcome: 'appended' });
    const result = await handleCommand(store, context('b'), add([3]));
    expect(result).toMatchObject({ state: 6, revision: 2, outcome: 'appended' });
    expect(result.events).toEqual(await store.readStream(STREAM));
  });
  it('that decides nothing appends nothing', async () => {
    expect(await handleCommand(store, context('a'), add([]))).toEqual({ state: 0, events: [], revision: null, outcome: 'unchanged' });
    expect(await store.head()).toBeNull();
  });
  it('that is refused throws why', async () => {
    const rejection = { kind: 'conflict', message: 'no', details: [] } as const;
    await expect(handleCommand(store, context('a'), add([1], { decide: () => ({ rejection }) }))).rejects.toEqual(
      new RejectedError(rejection),
    );
  });
  it('records who, why and what for, in a chain of hashes that holds', async () => {
    await handleCommand(store, context('a'), add([1, 2]));
    await handleCommand(store, context('b'), add([3]));
    const events = await store.readStream(STREAM);
    expect(events[2]!.metadata).toMatchObject({
      schema_version: 1,
      actor: { type: 'api_key', id: 'key_1' },
      request_id: 'req',
      idempotency_key: 'b',
      fingerprint: 'print',
    });
    expect(events[2]!.metadata.previous_hash).toBe(events[1]!.metadata.hash);
    expect(firstBrokenLink(events)).toBeNull();
  });
});

describe('a repeat', () => {
  it('decides nothing again and answers from the state right after its own events', async () => {
    const first = await handleCommand(store, context('a'), add([1, 2]));
    await handleCommand(store, context('b'), add([3]));
    decided = 0;
    expect(await handleCommand(store, context('a'), add([9]))).toEqual({
      ...first,
      outcome: 'repeated',
      events: (await store.readStream(STREAM)).slice(0, 2),
    });
    expect(decided).toBe(0);
    expect(await store.readStream(STREAM)).toHaveLength(3);
  });
  it('of a request that said something else is a mismatch', async () => {
    await handleCommand(store, context('a'), add([1]));
    await expect(handleCommand(store, context('a', { fingerprint: 'another' }), add([1]))).rejects.toBeInstanceOf(IdempotencyMismatchError);
  });
  it('whose first append was answered by nobody is the same append', async () => {
    const deaf = Object.create(store) as EventStore;
    deaf.append = async (...parameters) => {
      await store.append(...parameters);
      throw new Error('the answer was lost');
    };
    await expect(handleCommand(deaf, context('a'), add([1]))).rejects.toThrow('the answer was lost');
    expect(await handleCommand(store, context('a'), add([1]))).toMatchObject({ state: 1, revision: 0, outcome: 'repeated' });
  });
  it('of twenty at once is recorded once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => handleCommand(store, context('a'), add([1, 2]))));
    expect(results.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    expect(results.every(({ state, revision }) => state === 3 && revision === 1)).toBe(true);
    expect(await store.readStream(STREAM)).toHaveLength(2);
  });
  it('is known by the part of the request and by the stream', () => {
    const ids = [
      eventIdOf(context('a'), STREAM, 'event', 0),
      eventIdOf(context('a'), STREAM, 'event', 1),
      eventIdOf(context('a'), STREAM, 'other', 0),
      eventIdOf(context('a'), `${STREAM}2`, 'event', 0),
      eventIdOf(context('b'), STREAM, 'event', 0),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
  it('of another part of the same request is no repeat, and one of another request is a mismatch, whatever its part', async () => {
    await handleCommand(store, context('a'), add([1], { part: 'first' }));
    expect(await handleCommand(store, context('a'), add([2], { part: 'second' }))).toMatchObject({ state: 3, outcome: 'appended' });
    await expect(handleCommand(store, context('a', { fingerprint: 'other' }), add([4], { part: 'third' }))).rejects.toThrow(
      IdempotencyMismatchError,
    );
  });
  it('goes by the caller: somebody else may use the same idempotency key', async () => {
    await handleCommand(store, context('a'), add([1]));
    const other = context('a', { actor: { type: 'api_key', id: 'key_2' }, seed: ['org', 'key_2', 'a'], fingerprint: 'other' });
    expect(await handleCommand(store, other, add([2]))).toMatchObject({ state: 3, outcome: 'appended' });
  });
  it('can be asked for before anything is decided', async () => {
    const asked = { stream: STREAM, part: 'first' };
    expect(await isRecorded(store, context('a'), asked)).toBe(false);
    await handleCommand(store, context('a'), add([1], { part: 'first' }));
    expect([
      await isRecorded(store, context('a'), asked),
      await isRecorded(store, context('a'), { stream: STREAM, part: 'second' }),
      await isRecorded(store, context('b'), asked),
    ]).toEqual([true, false, false]);
    await expect(isRecorded(store, context('a', { fingerprint: 'other' }), asked)).rejects.toThrow(IdempotencyMismatchError);
  });
  it('is told to the caller where an earlier attempt recorded everything, and only there', async () => {
    const told = async (...parts: readonly string[]): Promise<boolean> => {
      const session = sessionOver(store);
      for (const part of parts) await handleCommand(store, context('a', { session }), add([1], { part }));
      return session.isReplay;
    };
    expect([await told('first'), await told('first'), await told('first', 'second'), await told('first', 'second'), await told()]).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
    const session = sessionOver(store);
    await handleCommand(store, context('b', { session }), add([]));
    expect(session.isReplay).toBe(false);
  });
  it('cannot be told without an idempotency key', async () => {
    await handleCommand(store, context(null), add([1]));
    expect(await handleCommand(store, context(null), add([1]))).toMatchObject({ revision: 1, outcome: 'appended' });
  });
});

describe('a command that was overtaken', () => {
  it('decides again with the newer state, as often as it takes', async () => {
    expect(await handleCommand(overtaken(3), context('a'), add([1]))).toMatchObject({ state: 301, revision: 3 });
    expect(decided).toBe(4 + 3);
    expect(firstBrokenLink(await store.readStream(STREAM))).toBeNull();
  });
  it('takes turns with the others of its process, so that a hundred at once do not decide thousands of times', async () => {
    const far = Object.create(store) as EventStore;
    far.append = async (...parameters) => {
      await new Promise(setImmediate);
      return store.append(...parameters);
    };
    const results = await Promise.all(Array.from({ length: 100 }, (_, index) => handleCommand(far, context(`a${index}`), add([1]))));
    expect(results.map(({ revision }) => revision).sort((one, other) => one! - other!)).toEqual(
      Array.from({ length: 100 }, (_, index) => index),
    );
    expect(decided).toBe(199);
  });
  it('is refused where the caller named a revision', async () => {
    await expect(handleCommand(overtaken(1), context('a'), add([1], { onConflict: 'refuse' }))).rejects.toBeInstanceOf(
      WrongExpectedRevisionError,
    );
  });
});
