import type { DomainEvent } from '#kernel/aggregate.js';
import { RejectedError } from '#kernel/rejection.js';
import type { CommandContext } from './command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import { type CommandResult, eventIdOf, isRecorded, type StreamCommand, handleCommand } from './handle-command.js';
import { IdempotencyMismatchError } from './idempotency-errors.js';
import { commit } from './unit-of-work.js';
import { firstBrokenLink } from '../../test/support/hash-chain.js';
import { MemoryEventStore } from '../../test/support/memory-event-store.js';
import { runAlone, servicesWithoutTables } from '../../test/support/units.js';

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

function add(
  numbers: readonly number[],
  more: Partial<StreamCommand<number, Added>> = {},
): StreamCommand<number, Added> {
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

function run(
  events: EventStore,
  of: CommandContext,
  command: StreamCommand<number, Added>,
): Promise<CommandResult<number>> {
  return runAlone(servicesWithoutTables(events), of, command);
}

describe('a command', () => {
  it('appends the decided events, and returns the state after them', async () => {
    expect(await run(store, context('a'), add([1, 2]))).toMatchObject({ state: 3, revision: 1, outcome: 'appended' });
    const result = await run(store, context('b'), add([3]));
    expect(result).toMatchObject({ state: 6, revision: 2, outcome: 'appended' });
    expect(result.events).toEqual(await store.readStream(STREAM));
  });
  it('without events appends nothing', async () => {
    expect(await run(store, context('a'), add([]))).toEqual({
      state: 0,
      events: [],
      revision: null,
      outcome: 'unchanged',
    });
    expect(await store.head()).toBeNull();
  });
  it('that is refused throws the rejection', async () => {
    const rejection = { kind: 'conflict', message: 'no', details: [] } as const;
    await expect(run(store, context('a'), add([1], { decide: () => ({ rejection }) }))).rejects.toEqual(
      new RejectedError(rejection),
    );
  });
  it('records actor, request and key, in an intact hash chain', async () => {
    await run(store, context('a'), add([1, 2]));
    await run(store, context('b'), add([3]));
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

describe('a unit of work', () => {
  it('appends to a stream once, and has its events only after they are recorded', async () => {
    const services = servicesWithoutTables(store);
    await commit(services, context('a'), async (within) => {
      const result = await handleCommand(services.store, within, add([1, 2]));
      expect(result).toMatchObject({ state: 3, revision: 1, outcome: 'appended' });
      expect(() => result.events).toThrow('once its unit of work has recorded them');
      await expect(handleCommand(services.store, within, add([3], { part: 'second' }))).rejects.toThrow(
        `appends to ${STREAM} once`,
      );
      return () => expect(result.events).toHaveLength(2);
    });
    expect(await store.readStream(STREAM)).toHaveLength(2);
  });
});

describe('a repeat', () => {
  it('is not decided again, and returns the state right after its own events', async () => {
    const { state, revision } = await run(store, context('a'), add([1, 2]));
    await run(store, context('b'), add([3]));
    decided = 0;
    expect(await run(store, context('a'), add([9]))).toEqual({
      state,
      revision,
      outcome: 'repeated',
      events: (await store.readStream(STREAM)).slice(0, 2),
    });
    expect(decided).toBe(0);
    expect(await store.readStream(STREAM)).toHaveLength(3);
  });
  it('of a request with other content is a mismatch', async () => {
    await run(store, context('a'), add([1]));
    await expect(run(store, context('a', { fingerprint: 'another' }), add([1]))).rejects.toBeInstanceOf(
      IdempotencyMismatchError,
    );
  });
  it('whose first append got no response is the same append', async () => {
    const deaf = Object.create(store) as EventStore;
    deaf.append = async (...parameters) => {
      await store.append(...parameters);
      throw new Error('the answer was lost');
    };
    await expect(run(deaf, context('a'), add([1]))).rejects.toThrow('the answer was lost');
    expect(await run(store, context('a'), add([1]))).toMatchObject({ state: 1, revision: 0, outcome: 'repeated' });
  });
  it('of twenty at once is recorded once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => run(store, context('a'), add([1, 2]))));
    expect(results.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    expect(results.every(({ state, revision }) => state === 3 && revision === 1)).toBe(true);
    expect(await store.readStream(STREAM)).toHaveLength(2);
  });
  it('is recognised by the part of the request and by the stream', () => {
    const ids = [
      eventIdOf(context('a'), STREAM, 'event', 0),
      eventIdOf(context('a'), STREAM, 'event', 1),
      eventIdOf(context('a'), STREAM, 'other', 0),
      eventIdOf(context('a'), `${STREAM}2`, 'event', 0),
      eventIdOf(context('b'), STREAM, 'event', 0),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
  it('of another part of the same request is not a repeat; one of another request is a mismatch, whatever its part', async () => {
    await run(store, context('a'), add([1], { part: 'first' }));
    expect(await run(store, context('a'), add([2], { part: 'second' }))).toMatchObject({
      state: 3,
      outcome: 'appended',
    });
    await expect(run(store, context('a', { fingerprint: 'other' }), add([4], { part: 'third' }))).rejects.toThrow(
      IdempotencyMismatchError,
    );
  });
  it('is recognised by the caller too: another caller may use the same idempotency key', async () => {
    await run(store, context('a'), add([1]));
    const other = context('a', {
      actor: { type: 'api_key', id: 'key_2' },
      seed: ['org', 'key_2', 'a'],
      fingerprint: 'other',
    });
    expect(await run(store, other, add([2]))).toMatchObject({ state: 3, outcome: 'appended' });
  });
  it('can be detected before anything is decided', async () => {
    const asked = { stream: STREAM, part: 'first' };
    expect(await isRecorded(store, context('a'), asked)).toBe(false);
    await run(store, context('a'), add([1], { part: 'first' }));
    expect([
      await isRecorded(store, context('a'), asked),
      await isRecorded(store, context('a'), { stream: STREAM, part: 'second' }),
      await isRecorded(store, context('b'), asked),
    ]).toEqual([true, false, false]);
    await expect(isRecorded(store, context('a', { fingerprint: 'other' }), asked)).rejects.toThrow(
      IdempotencyMismatchError,
    );
  });
  it('is reported to the caller if an earlier attempt recorded everything, and only then', async () => {
    const told = async (key: string, numbers: readonly number[], ...parts: readonly string[]): Promise<boolean> => {
      let isTold = false;
      const answerOf = (_: unknown, isReplay: boolean) => {
        isTold = isReplay;
        return { status: 200, body: '', entityTag: null };
      };
      const receiptKey = { organisationId: 'org', environment: 'live', keyId: 'key_1', idempotencyKey: key };
      const receipt = { key: receiptKey, fingerprint: 'print', requestId: 'req', erasures: 0, answerOf };
      const services = servicesWithoutTables(store);
      await commit(services, context(key, { receipt }), async (within) => {
        for (const part of parts)
          await handleCommand(services.store, within, add(numbers, { part, stream: `${STREAM} ${part}` }));
        return () => undefined;
      });
      return isTold;
    };
    expect([
      await told('a', [1], 'first'),
      await told('a', [1], 'first'),
      await told('a', [1], 'first', 'second'),
      await told('a', [1], 'first', 'second'),
      await told('a', [1]),
      await told('b', [], 'first'),
    ]).toEqual([false, true, false, true, false, false]);
  });
  it('cannot be detected without an idempotency key', async () => {
    await run(store, context(null), add([1]));
    expect(await run(store, context(null), add([1]))).toMatchObject({ revision: 1, outcome: 'appended' });
  });
});
