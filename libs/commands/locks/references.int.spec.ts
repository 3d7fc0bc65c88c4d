import { createPool } from '#database/pool.js';
import { type EventStore, StoreUnavailableError } from '#event-store/event-store.js';
import { Projector } from '#projections/projector.js';
import { commandOrgUnit, createOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { findOrgUnit, orgUnitAggregate } from '#organisation/org-unit/org-unit.js';
import { PROJECTIONS } from '#composition/registry.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { Gate } from '../../../test/support/gate.js';
import { MemoryEventStore } from '../../../test/support/memory-event-store.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { cutBeforeCommits, untilAwaited } from '../../../test/support/units.js';
import type { CommandServices } from '../services.js';
import { commit, type UnitContext } from '../unit-of-work.js';
import { lockForRetirement, lockReferences, lockStreams } from './references.js';

const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';
const IN_USE = { rejection: { details: [{ field: 'org_units', issue: 'active org units below this one: 1' }] } };
const ARCHIVED = { rejection: { details: [{ field: 'parent_id', issue: 'this org unit is archived' }] } };

let database: TestDatabase;
let gate: Gate;
let services: CommandServices;
/** The unit that is referred to, and retired. */
let unit: string;

const context = () => testContext(ORGANISATION);
const streamOf = (id: string): string => orgUnitAggregate.streamOf(ORGANISATION, id);
/** A new unit below another one refers to it. */
const refer = (through = services, parent = unit): Promise<string> =>
  createOrgUnit(through, context(), { name: 'Below', code: null, parent_id: parent, head_id: null }).then(
    ({ id }) => id,
  );
const rename = (through = services): Promise<unknown> =>
  commandOrgUnit(through, context(), unit, { type: 'change', changes: { name: 'Renamed' } });
const archive = (through = services): Promise<unknown> => commandOrgUnit(through, context(), unit, { type: 'archive' });
const rowOf = (id = unit) => findOrgUnit(database.pool, ORGANISATION, id);

/** Runs something with what it holds, and nothing else, in a unit of work. */
function holding<Result>(work: (within: UnitContext) => Promise<Result>): Promise<Result> {
  return commit(services, context(), async (within) => {
    const result = await work(within);
    return () => result;
  });
}

async function openOver(store: (of: TestDatabase) => EventStore): Promise<void> {
  database = await createTestDatabase();
  gate = new Gate();
  services = { ...testServices(database), store: gate.wrap(store(database)) };
  unit = (await createOrgUnit(services, context(), { name: 'Sales', code: null, parent_id: null, head_id: null })).id;
}

afterEach(() => database.drop());

const ELSEWHERE = ['another place', () => new MemoryEventStore()] as const;

describe.each([['the database of tables', (of: TestDatabase) => testServices(of).store] as const, ELSEWHERE])(
  'a retirement whose events are stored in %s',
  (_, store) => {
    beforeEach(() => openOver(store));

    it('waits for commands that refer to the aggregate, and sees their rows', async () => {
      const stopped = gate.stop((stream) => stream !== streamOf(unit));
      const referred = refer();
      await Promise.race([stopped.reached, referred]);
      const archived = archive().catch((error: unknown) => error);
      await untilAwaited(database.pool);
      stopped.open();
      await referred;
      expect(await archived).toMatchObject(IN_USE);
      expect((await rowOf())!.archived_at).toBeNull();
    });

    it('is seen by later commands that refer to the aggregate, and makes them wait meanwhile', async () => {
      const stopped = gate.stop((stream) => stream === streamOf(unit));
      const archived = archive();
      await Promise.race([stopped.reached, archived]);
      const referred = refer().catch((error: unknown) => error);
      await untilAwaited(database.pool);
      stopped.open();
      await archived;
      expect(await referred).toMatchObject(ARCHIVED);
    });

    it('that fails prevents no references', async () => {
      const failing = Object.create(services.store) as EventStore;
      failing.append = () => Promise.reject(new StoreUnavailableError('killed for the test'));
      await expect(archive({ ...services, store: failing })).rejects.toThrow('killed for the test');
      await refer();
      await expect(archive()).rejects.toMatchObject(IN_USE);
    });

    it('does not wait for references to other aggregates, which do not wait for each other either', async () => {
      const other = await refer();
      const stopped = gate.stop((stream) => ![unit, other].map(streamOf).includes(stream));
      const referred = refer(services, other);
      await Promise.race([stopped.reached, referred]);
      await refer(services, other);
      await commandOrgUnit(services, context(), other, { type: 'change', changes: { parent_id: null } });
      await archive();
      stopped.open();
      await referred;
    });

    it('and references take no connection from each other that they need to end, in the smallest process', async () => {
      const pool = createPool(database.url, { applicationName: 'small', maximum: 4 });
      const small = { ...services, executor: pool };
      const works = Array.from({ length: 24 }, (_value, index) => (index % 6 === 3 ? archive(small) : refer(small)));
      const outcomes = await Promise.allSettled(works);
      const refusals = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [(outcome.reason as Error).name] : [],
      );
      expect([...new Set(refusals)]).toEqual(['RejectedError']);
      expect(pool.totalCount - pool.idleCount).toBe(0);
      await pool.end();
    });
  },
);

describe('the locks of a unit of work', () => {
  beforeEach(() => openOver((of) => testServices(of).store));

  it('are requested once', async () => {
    const asked = await holding(async (within) => {
      const hold = jest.spyOn(within.unit, 'hold');
      await lockReferences(services, within, []);
      await lockReferences(services, within, ['one', 'one']);
      await lockReferences(services, within, ['other', 'one']);
      await lockReferences(services, within, ['other']);
      return hold.mock.calls.map(([{ shared }]) => shared);
    });
    expect(asked).toEqual([['references to one'], ['references to other']]);
  });

  it('on references allow a retirement of the same aggregate', async () => {
    await holding(async (within) => {
      await lockReferences(services, within, [streamOf(unit)]);
      await lockForRetirement(services, within, { stream: streamOf(unit) });
      const { rows } = await database.pool.query(
        'select pg_try_advisory_xact_lock_shared(hashtextextended($1, 0)) as is_free',
        [`references to ${streamOf(unit)}`],
      );
      expect(rows).toEqual([{ is_free: false }]);
    });
  });

  it('on a stream prevent appends by others, and allow references', async () => {
    let renamed: Promise<unknown> = Promise.resolve();
    await holding(async (within) => {
      await lockStreams(services, within, [streamOf(unit)]);
      renamed = rename();
      await untilAwaited(database.pool);
      await refer();
      expect(await rowOf()).toMatchObject({ name: 'Sales', revision: 0 });
    });
    await renamed;
    expect(await rowOf()).toMatchObject({ name: 'Renamed', revision: 1 });
  });
});

describe('a process died between its append and its commit, and events are stored in another place:', () => {
  let dying: CommandServices;

  beforeEach(async () => {
    await openOver(ELSEWHERE[1]);
    dying = { ...services, executor: cutBeforeCommits(database.pool) };
  });

  it('a retirement sees the references to the aggregate, without a worker', async () => {
    await expect(refer(dying)).rejects.toMatchObject({ code: '57P01' });
    const below = async (): Promise<number> =>
      (await database.pool.query('select from org_units where parent_id = $1', [unit])).rowCount!;
    expect(await below()).toBe(0);
    await expect(archive()).rejects.toMatchObject(IN_USE);
    expect(await below()).toBe(1);
  });

  it('the next command that refers to the aggregate sees its retirement', async () => {
    await expect(archive(dying)).rejects.toMatchObject({ code: '57P01' });
    expect((await rowOf())!.archived_at).toBeNull();
    await expect(refer()).rejects.toMatchObject(ARCHIVED);
    expect((await rowOf())!.archived_at).not.toBeNull();
  });

  it('the next retirement sees it, too', async () => {
    await expect(archive(dying)).rejects.toMatchObject({ code: '57P01' });
    await expect(archive()).rejects.toMatchObject({ rejection: { details: [{ field: 'archived_at' }] } });
  });

  it.each([
    ['refers to the thing', lockReferences],
    ['keeps it unchanged', lockStreams],
    [
      'retires it',
      (...[own, within, [stream]]: Parameters<typeof lockReferences>) =>
        lockForRetirement(own, within, { stream: stream! }),
    ],
  ])('a command that %s reads its last change', async (_, hold) => {
    await expect(rename(dying)).rejects.toMatchObject({ code: '57P01' });
    expect(await rowOf()).toMatchObject({ name: 'Sales' });
    const read = await holding(async (within) => {
      await hold(services, within, [streamOf(unit)]);
      return rowOf();
    });
    expect(read).toMatchObject({ name: 'Renamed', revision: 1 });
  });

  it('a retirement first projects the references to the aggregate, only into the tables that it names', async () => {
    await expect(refer(dying)).rejects.toMatchObject({ code: '57P01' });
    const projected: (readonly string[])[] = [];
    const projector = new Projector(PROJECTIONS, { now: () => new Date() });
    projector.only = (names) => (projected.push(names), Projector.prototype.only.call(projector, names));
    await holding((within) => lockForRetirement({ ...services, projector }, within, { stream: streamOf(unit) }));
    await holding((within) =>
      lockForRetirement({ ...services, projector }, within, { stream: streamOf(unit), uses: ['org_units'] }),
    );
    expect(projected).toEqual([['org_units']]);
  });
});
