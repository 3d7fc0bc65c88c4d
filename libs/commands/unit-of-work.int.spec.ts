import { randomUUID } from 'node:crypto';
import { isUnavailable, sqlState } from '#database/errors.js';
import { createPool, REQUEST_LIMITS } from '#database/pool.js';
import { type EventStore, StoreUnavailableError, WrongExpectedRevisionError } from '#event-store/event-store.js';
import type { Decision } from '#kernel/aggregate.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { Projector } from '#projections/projector.js';
import {
  locationAggregate,
  type LocationEvent,
  type LocationState,
  locationTable,
} from '#organisation/location/location.js';
import { testEventStore } from '../../test/support/event-store.js';
import { firstBrokenLink } from '../../test/support/hash-chain.js';
import { MemoryEventStore } from '../../test/support/memory-event-store.js';
import { databaseForSpec } from '../../test/support/postgres.js';
import { cutBeforeCommits, untilAwaited } from '../../test/support/units.js';
import type { CommandContext } from './command-context.js';
import { DecidedError } from './dry-run.js';
import type { WritingServices } from './services.js';
import { handleCommand } from '#commands/handle-command.js';
import type { CommandResult, StreamCommand } from './handle-command.js';
import { IdempotencyMismatchError, InProgressError } from './idempotency-errors.js';
import { AnsweredError, erasuresLock, type PendingReceipt } from './receipts/receipts.js';
import type { Connections } from '#database/connection-slots.js';
import { commit, type UnitContext } from './unit-of-work.js';

const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';
const ADDRESS = {
  address_line_1: 'Main Street 1',
  address_line_2: null,
  address_line_3: null,
  city: 'Leeds',
  postal_code: 'LS1 1AA',
};
const PLACE = { ...ADDRESS, label: 'Office', region_state: 'Yorkshire', country_code: 'GB' };

type Widening = StreamCommand<LocationState, LocationEvent>;

const database = databaseForSpec();
let services: WritingServices;
/** The number of erased people of the organisation. */
let erasures = 0;
/** How often a command was decided. */
let decided: number;
/** Whether an earlier attempt had recorded everything, as receipts were told. */
let replays: boolean[];

beforeAll(async () => {
  await database.pool.query('create table names (name text primary key)');
});
beforeEach(() => {
  decided = 0;
  replays = [];
});

function servicesOver(store: EventStore, executor: Connections = database.pool): WritingServices {
  return { store, executor, projector: new Projector([locationTable.projection], { now: () => new Date() }) };
}

const streamOf = (id: string): string => locationAggregate.streamOf(ORGANISATION, id);

/** The context of a request under a key, or of a command without a receipt. */
function contextOf(
  key: string | null,
  more: Partial<CommandContext> & { readonly seed?: readonly string[] } = {},
): CommandContext {
  const fingerprint = more.fingerprint ?? (key === null ? null : 'print');
  return {
    organisationId: ORGANISATION,
    actor: { type: 'api_key', id: 'key_1' },
    requestId: 'req',
    idempotencyKey: key,
    fingerprint,
    seed: [key ?? randomUUID()],
    today: '2026-01-01',
    ...(key === null ? {} : { receipt: receiptOf(key, fingerprint!) }),
    ...more,
  };
}

function receiptOf(idempotencyKey: string, fingerprint: string): PendingReceipt {
  return {
    key: { organisationId: ORGANISATION, environment: 'live', keyId: 'key_1', idempotencyKey },
    fingerprint,
    requestId: 'req',
    erasures,
    answerOf: (result, isReplay) => {
      replays.push(isReplay);
      return { status: 200, body: JSON.stringify(result), entityTag: 'tag' };
    },
  };
}

/** Stages an increase of the capacity of a location by one; the first call creates the location. */
function widen(within: UnitContext, id: string, more: Partial<Widening> = {}): Promise<CommandResult<LocationState>> {
  return handleCommand<LocationState, LocationEvent>(services.store, within, {
    stream: streamOf(id),
    initial: locationAggregate.initial,
    evolve: locationAggregate.evolve,
    decide: (state): Decision<LocationEvent> => {
      decided += 1;
      if (state.status === 'none') return { events: [{ type: 'LocationCreated', data: { ...PLACE, capacity: 1 } }] };
      return { events: [{ type: 'LocationChanged', data: { changes: { capacity: state.location.capacity! + 1 } } }] };
    },
    onConflict: 'decide_again',
    ...more,
  });
}

/** Commits an increase of the capacity by one. Returns the capacity. */
function commitWider(
  id: string,
  context: CommandContext = contextOf(randomUUID()),
  more: Partial<Widening> = {},
): Promise<number> {
  return commit(services, context, async (within) => {
    const result = await widen(within, id, more);
    return () => locationTable.after(result).capacity!;
  });
}

async function recordedCapacity(id: string, executor: Executor = database.pool): Promise<number | null> {
  return (await locationTable.find(executor, ORGANISATION, id))?.capacity ?? null;
}

async function receipts(key: string): Promise<number> {
  return (await database.pool.query('select from idempotency_receipts where idempotency_key = $1', [key])).rowCount!;
}

/**
 * The effects of a request: events of the location, its capacity in the table, and receipts under the key.
 */
async function traces(id: string, key: string): Promise<readonly (number | null)[]> {
  return [(await services.store.readStream(streamOf(id))).length, await recordedCapacity(id), await receipts(key)];
}

/** A door that blocks until it is opened, and a promise that resolves when a request waits at it. */
function door(): { readonly reached: Promise<void>; pass(): Promise<void>; open(): void } {
  let [reach, open] = [() => undefined as void, () => undefined as void];
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { reached, open: () => open(), pass: () => (reach(), opened) };
}

/** A request that waits before its commit, with its locks and all rows written, until the door is opened. */
async function stopped(
  id: string,
  key: string,
): Promise<{ readonly first: Promise<unknown>; readonly open: () => void }> {
  const at = door();
  const first = commit(services, contextOf(key), async (within) => {
    await widen(within, id);
    return async () => {
      await at.pass();
      return 'first';
    };
  });
  await Promise.race([at.reached, first]);
  return { first, open: at.open };
}

describe.each([
  ['the database of tables and receipts', () => testEventStore(database.pool)],
  ['another place', () => new MemoryEventStore()],
])('a unit of work whose events are stored in %s', (_, open) => {
  beforeEach(() => (services = servicesOver(open())));

  it('records events, rows and the receipt together, and a repeat gets the stored response', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const work = () =>
      commit(services, contextOf(key), async (within) => {
        const result = await widen(within, id);
        return async ({ executor }) => {
          expect([await recordedCapacity(id, executor), await recordedCapacity(id)]).toEqual([1, null]);
          // The time limit of the wait for the key applies to nothing else.
          expect((await executor.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }]);
          return { capacity: locationTable.after(result).capacity };
        };
      });
    expect(await work()).toEqual({ capacity: 1 });
    expect(await traces(id, key)).toEqual([1, 1, 1]);
    const repeated = work();
    await expect(repeated).rejects.toBeInstanceOf(AnsweredError);
    await expect(repeated).rejects.toMatchObject({
      stored: { status: 200, body: '{"capacity":1}', entityTag: 'tag', requestId: 'req' },
    });
    expect([await traces(id, key), replays]).toEqual([[1, 1, 1], [false]]);
  });

  it('claims rows before it appends, writes others afterwards, and runs further work only after the commit', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const order: string[] = [];
    await commit(services, contextOf(key), async (within) => {
      within.unit.onCommit(() => order.push('committed'));
      within.unit.write(async (connection) => {
        order.push(`written, capacity ${await recordedCapacity(id, connection)}`);
        await connection.query('insert into names values ($1)', [`${id} written`]);
      });
      within.unit.claim(async (connection) => {
        order.push(`claimed, capacity ${await recordedCapacity(id, connection)}`);
        await connection.query('insert into names values ($1)', [`${id} claimed`]);
      });
      await widen(within, id);
      return () => order.push('answered');
    });
    expect(order).toEqual(['claimed, capacity null', 'written, capacity 1', 'answered', 'committed']);
    expect((await database.pool.query("select from names where name like $1 || '%'", [id])).rowCount).toBe(2);
  });

  it('makes a second request under its key wait, and gives it the response of the first', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const { first, open: openDoor } = await stopped(id, key);
    const second = commitWider(id, contextOf(key)).catch((error: unknown) => error);
    await untilAwaited(database.pool);
    openDoor();
    expect(await first).toBe('first');
    expect(await second).toBeInstanceOf(AnsweredError);
    expect(await second).toMatchObject({ stored: { body: '"first"' } });
    expect(await traces(id, key)).toEqual([1, 1, 1]);
  });

  it('makes that request wait only as long as there is time to refuse it', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const { first, open: openDoor } = await stopped(id, key);
    const pool = createPool(database.url, { applicationName: 'limited', maximum: 2, ...REQUEST_LIMITS });
    services = servicesOver(services.store, pool);
    await expect(commitWider(id, contextOf(key))).rejects.toBeInstanceOf(InProgressError);
    await pool.end();
    openDoor();
    expect(await first).toBe('first');
    expect(await traces(id, key)).toEqual([1, 1, 1]);
  });

  it('refuses a different request under its key, also one that has waited', async () => {
    const [id, other, key] = [randomUUID(), randomUUID(), randomUUID()];
    const { first, open: openDoor } = await stopped(id, key);
    const waiting = commitWider(other, contextOf(key, { fingerprint: 'another' })).catch((error: unknown) => error);
    await untilAwaited(database.pool);
    openDoor();
    await first;
    expect(await waiting).toBeInstanceOf(IdempotencyMismatchError);
    await expect(commitWider(other, contextOf(key, { fingerprint: 'another' }))).rejects.toBeInstanceOf(
      IdempotencyMismatchError,
    );
    expect(await traces(other, key)).toEqual([0, null, 1]);
  });

  it('is planned again if a person was erased meanwhile, and makes later erasures wait', async () => {
    const id = randomUUID();
    const at = door();
    let attempts = 0;
    const work = commit(services, contextOf(randomUUID()), async (within) => {
      attempts += 1;
      await widen(within, id);
      if (attempts === 1)
        await database.pool.query('insert into person_keys values ($1, $2, null)', [ORGANISATION, id]);
      return async () => at.pass();
    });
    await Promise.race([at.reached, work]);
    const erased = commit(services, contextOf(null), async ({ unit }) => {
      await unit.hold({ exclusive: [erasuresLock(ORGANISATION)] });
      return () => 'erased';
    });
    await untilAwaited(database.pool);
    at.open();
    await work;
    erasures += 1;
    expect([attempts, await erased, await recordedCapacity(id)]).toEqual([2, 'erased', 1]);
  });

  it('records nothing if its locks are lost before it appends', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const work = commit(services, contextOf(key), async (within) => {
      await within.unit.hold({ shared: ['lost'] });
      await widen(within, id);
      await database.pool.query(
        `select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
          where l.locktype = 'advisory' and d.datname = current_database()`,
      );
      return () => undefined;
    });
    expect(isUnavailable(await work.catch((error: unknown) => error))).toBe(true);
    expect(await traces(id, key)).toEqual([0, null, 0]);
  });

  it('is planned again after a conflict, and then prevents further appends to the stream', async () => {
    const id = randomUUID();
    let attempts = 0;
    let isLocked: unknown;
    await commit(services, contextOf(randomUUID()), async (within) => {
      attempts += 1;
      await widen(within, id);
      if (attempts === 1) await commitWider(id);
      else
        isLocked = (
          await database.pool.query('select not pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held', [
            streamOf(id),
          ])
        ).rows[0];
      return () => undefined;
    });
    expect([attempts, isLocked, await recordedCapacity(id)]).toEqual([2, { held: true }, 2]);
  });

  it('succeeds if thirty append to one stream at once, each planned at most twice', async () => {
    const id = randomUUID();
    const capacities = await Promise.all(Array.from({ length: 30 }, () => commitWider(id)));
    expect(capacities.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 30 }, (_value, index) => index + 1),
    );
    expect(decided).toBeLessThan(60);
    expect([await recordedCapacity(id), firstBrokenLink(await services.store.readStream(streamOf(id)))]).toEqual([
      30,
      null,
    ]);
  });

  it('is refused after a conflict if its caller named a revision', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    await commitWider(id);
    const late = commit(services, contextOf(key), async (within) => {
      const result = await widen(within, id, { onConflict: 'refuse' });
      await commitWider(id);
      return () => result.revision;
    });
    await expect(late).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    expect([await traces(id, key), decided]).toEqual([[2, 2, 0], 3]);
  });

  it('is planned again after a deadlock with another one', async () => {
    const id = randomUUID();
    const bothHold = [door(), door()] as const;
    const crossing = (own: 0 | 1): Promise<number> => {
      let attempts = 0;
      const names = [`${id} 0`, `${id} 1`];
      return commit(services, contextOf(randomUUID()), async (within) => {
        attempts += 1;
        await within.unit.hold({ exclusive: [names[own]!] });
        bothHold[own].open();
        if (attempts === 1) await bothHold[1 - own]!.pass();
        await within.unit.hold({ exclusive: [names[1 - own]!] });
        await widen(within, id);
        return () => attempts;
      });
    };
    expect((await Promise.all([crossing(0), crossing(1)])).toSorted()).toEqual([1, 2]);
    expect(await recordedCapacity(id)).toBe(2);
  });

  it('begins once if several parts of its plan take locks at once', async () => {
    const pool = createPool(database.url, { applicationName: 'parts', maximum: 4 });
    services = servicesOver(services.store, pool);
    const held = await commit(services, contextOf(null), async ({ unit }) => {
      const names = Array.from({ length: 4 }, () => randomUUID());
      await Promise.all(names.map((name) => unit.hold({ shared: [name] })));
      return () => [...names.map((name) => unit.holds(name)), unit.holds(randomUUID())];
    });
    expect(held).toEqual([true, true, true, true, false]);
    expect(pool.totalCount - pool.idleCount).toBe(0);
    await pool.end();
  });

  describe('in a dry run', () => {
    const dryRun = { isDryRun: true } as const;

    it('decides, reports the first events that it would append, and records nothing', async () => {
      const id = randomUUID();
      const work = commitWider(id, contextOf(null, dryRun));
      await expect(work).rejects.toBeInstanceOf(DecidedError);
      await expect(work).rejects.toMatchObject({
        append: { stream: streamOf(id), events: [{ type: 'LocationCreated' }] },
      });
      expect([(await services.store.readStream(streamOf(id))).length, await recordedCapacity(id)]).toEqual([0, null]);
    });

    it('is refused by a claim, which leaves nothing', async () => {
      const id = randomUUID();
      const claiming = (context: CommandContext): Promise<number> =>
        commit(services, context, async (within) => {
          within.unit.claim((connection) => claimName(connection, id));
          const result = await widen(within, id);
          return () => result.revision!;
        });
      await expect(claiming(contextOf(null, dryRun))).rejects.toBeInstanceOf(DecidedError);
      expect(await claiming(contextOf(null))).toBe(0);
      await expect(claiming(contextOf(null, dryRun))).rejects.toMatchObject({
        rejection: { details: [{ field: 'name' }] },
      });
    });

    it('writes no rows if there is nothing to append', async () => {
      const name = randomUUID();
      const answer = await commit(services, contextOf(null, dryRun), async ({ unit }) => {
        unit.onCommit(() => replays.push(true));
        unit.write((connection) => claimName(connection, name));
        return () => 'decided';
      });
      const { rowCount } = await database.pool.query('select from names where name = $1', [name]);
      expect([answer, rowCount, replays]).toEqual(['decided', 0, []]);
    });
  });
});

/** Inserts a row under a unique index. */
async function claimName(connection: Executor, name: string): Promise<void> {
  try {
    await connection.query('insert into names values ($1)', [name]);
  } catch (error) {
    throw sqlState(error) === '23505' ? new RejectedError(conflict('name', 'somebody else has this name')) : error;
  }
}

/** An attempt that fails after its plan. */
interface Failing {
  readonly context?: Partial<CommandContext>;
  readonly executor?: () => Connections;
  readonly plan?: (within: UnitContext) => void;
  readonly outcome?: () => unknown;
}

const die = (): never => {
  throw new Error('killed for the test');
};

describe('a unit of work whose events are stored in the database of tables and receipts', () => {
  beforeEach(() => (services = servicesOver(testEventStore(database.pool))));

  it.each<readonly [string, Failing]>([
    ['it must not append any more', { context: { beforeAppend: die } }],
    ['a further row cannot be written', { plan: ({ unit }) => unit.write(async () => die()) }],
    ['its result cannot be made', { outcome: die }],
    ['its receipt cannot be made', { outcome: () => 1n }],
    ['the process ends before the commit', { executor: () => cutBeforeCommits(database.pool) }],
  ])('records nothing if %s, and everything when it is repeated', async (_, { context, executor, plan, outcome }) => {
    const [id, key] = [randomUUID(), randomUUID()];
    const committed = jest.fn();
    const failed = commit(
      { ...services, executor: executor?.() ?? database.pool },
      contextOf(key, context),
      async (within) => {
        within.unit.onCommit(committed);
        await widen(within, id);
        plan?.(within);
        return () => outcome?.();
      },
    );
    await expect(failed).rejects.toThrow();
    expect([await traces(id, key), committed.mock.calls]).toEqual([[0, null, 0], []]);
    expect(await commitWider(id, contextOf(key))).toBe(1);
    expect(await traces(id, key)).toEqual([1, 1, 1]);
  });

  it('records all of several streams, or nothing', async () => {
    const [one, other, key] = [randomUUID(), randomUUID(), randomUUID()];
    await commitWider(other);
    await expect(
      commit(services, contextOf(key), async (within) => {
        await widen(within, one);
        await widen(within, other, { onConflict: 'refuse' });
        await commitWider(other);
        return () => undefined;
      }),
    ).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    expect([await traces(one, key), await traces(other, key)]).toEqual([
      [0, null, 0],
      [2, 2, 0],
    ]);
  });

  it('releases its claims if it fails, for others that wait for them', async () => {
    const name = randomUUID();
    const at = door();
    const claiming = (outcome: () => Promise<unknown>): Promise<unknown> =>
      commit(services, contextOf(null), async ({ unit }) => {
        unit.claim((connection) => claimName(connection, name));
        return outcome;
      });
    const first = claiming(async () => {
      await at.pass();
      die();
    }).catch((error: unknown) => error);
    await at.reached;
    const second = claiming(async () => 'second');
    await untilAwaited(database.pool);
    at.open();
    expect([await first, await second]).toEqual([new Error('killed for the test'), 'second']);
    await expect(claiming(async () => 'third')).rejects.toMatchObject({ rejection: { details: [{ field: 'name' }] } });
  });
});

describe('a unit of work whose events are stored in another place', () => {
  beforeEach(() => (services = servicesOver(new MemoryEventStore())));

  it('leaves its events if the process ends before the commit; a repeat finds them, and completes rows and receipt', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const store = services.store;
    services = servicesOver(store, cutBeforeCommits(database.pool));
    await expect(commitWider(id, contextOf(key))).rejects.toMatchObject({ code: '57P01' });
    expect(await traces(id, key)).toEqual([1, null, 0]);
    services = servicesOver(store);
    expect(await commitWider(id, contextOf(key))).toBe(1);
    expect([await traces(id, key), decided, replays]).toEqual([[1, 1, 1], 1, [false, true]]);
    await expect(commitWider(id, contextOf(key))).rejects.toMatchObject({ stored: { body: '1' } });
  });

  it('appends the remaining streams when it is repeated', async () => {
    const [one, other, key] = [randomUUID(), randomUUID(), randomUUID()];
    const both = (): Promise<number> =>
      commit(services, contextOf(key), async (within) => {
        await widen(within, one);
        const last = await widen(within, other);
        return () => last.revision!;
      });
    const { append } = services.store;
    services.store.append = async function (stream, ...rest) {
      if (stream === streamOf(other)) throw new StoreUnavailableError('killed for the test');
      return append.call(this, stream, ...rest);
    };
    await expect(both()).rejects.toThrow('killed for the test');
    expect([await traces(one, key), await traces(other, key)]).toEqual([
      [1, null, 0],
      [0, null, 0],
    ]);
    services.store.append = append;
    expect(await both()).toBe(0);
    expect([await traces(one, key), await traces(other, key), replays]).toEqual([[1, 1, 1], [1, 1, 1], [false]]);
  });

  it('is projected by the next command on its stream, whatever that one decides', async () => {
    const id = randomUUID();
    const store = services.store;
    services = servicesOver(store, cutBeforeCommits(database.pool));
    await expect(commitWider(id)).rejects.toMatchObject({ code: '57P01' });
    services = servicesOver(store);
    expect(await recordedCapacity(id)).toBeNull();
    expect(await commitWider(id, contextOf(null), { decide: () => ({ events: [] }) })).toBe(1);
    expect(await recordedCapacity(id)).toBe(1);
  });

  it('finds its own events after a deadlock that followed its append, also without an idempotency key', async () => {
    const id = randomUUID();
    let attempts = 0;
    const capacity = await commit(services, contextOf(null), async (within) => {
      attempts += 1;
      const result = await widen(within, id);
      within.unit.write(async (connection) => {
        if (attempts === 1)
          await connection.query("do $$ begin raise exception using errcode = 'deadlock_detected'; end $$");
      });
      return () => locationTable.after(result).capacity;
    });
    expect([
      attempts,
      capacity,
      await recordedCapacity(id),
      (await services.store.readStream(streamOf(id))).length,
    ]).toEqual([2, 1, 1, 1]);
  });
});

describe('the connections of a pool', () => {
  it.each([2, 3, 4])(
    'of %i are in units to the half at most, so that what plans read never waits for units',
    async (maximum) => {
      const pool = createPool(database.url, { applicationName: 'small', maximum });
      services = servicesOver(testEventStore(pool), pool);
      let [inside, limit] = [0, 0];
      const work = (number: number): Promise<unknown> =>
        commit(services, contextOf(null), async (within) => {
          await within.unit.hold({ shared: ['shared by all'] });
          inside += 1;
          limit = Math.max(limit, inside);
          try {
            for (let read = 0; read < 3; read += 1) await pool.query('select');
            if (number % 5 === 0) die();
            await widen(within, randomUUID());
          } finally {
            inside -= 1;
          }
          return () => number;
        }).catch((error: Error) => error.message);
      const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => work(number)));
      expect(answers).toEqual(
        Array.from({ length: 20 }, (_, number) => (number % 5 === 0 ? 'killed for the test' : number)),
      );
      expect([limit, pool.totalCount - pool.idleCount]).toEqual([Math.max(1, Math.floor(maximum / 2)), 0]);
      await pool.end();
    },
  );

  it('that cannot be opened release their slots to the next units', async () => {
    const away = createPool('postgres://nobody@127.0.0.1:1/nothing', { applicationName: 'away', maximum: 2 });
    services = servicesOver(new MemoryEventStore(), away);
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(commitWider(randomUUID())).rejects.toThrow('ECONNREFUSED');
    await away.end();
  });
});
