import type { RecordedEvent } from './event-store.js';
import { firstBrokenLink } from '../../test/support/hash-chain.js';
import { exportHistory } from './transfer/export-history.js';
import { asStored, registerUpcaster, schemaVersionOf, upcast } from './upcasters.js';
import { allReadable } from '../../test/support/postgres.js';
import { contextOf, createPerson, newOrganisation, recordFact, worldForSpec } from '../../test/support/people/world.js';
import { toNewEvents } from '#commands/handle-command.js';
import { findPerson } from '#people/record/read-people.js';
import { readTimeline } from '#people/timeline/read-timeline.js';
import { projectStreams } from '#projections/catch-up.js';
import { employmentAggregate } from '#people/employment/employment.js';

const TODAY = '2026-03-01';

const world = worldForSpec();
let takeBack: () => void = () => undefined;

beforeAll(async () => {
  world.clock.standAt(`${TODAY}T12:00:00Z`);
});
afterEach(() => takeBack());
/** Registers an upcaster that renames the field of the final day. */
function registerRenamedDay(): void {
  takeBack = registerUpcaster('EmploymentEnded', 1, ({ final_day, ...data }) => ({ ...data, end_date: final_day! }));
}

/**
 * Records an end in the shape that the program wrote before the upcaster was registered; no read table shows
 * it yet.
 */
async function recordOldShape(organisationId: string, personId: string): Promise<void> {
  const stream = employmentAggregate.streamOf(organisationId, personId);
  const [started] = await world.eventStore.readStream(stream);
  const event = { type: 'EmploymentEnded', data: { fact_id: 'fact_old', final_day: '2026-02-10' } };
  const context = contextOf(organisationId, { today: TODAY });
  await world.eventStore.append(
    stream,
    0,
    toNewEvents(context, stream, [event], { previousHash: started!.metadata.hash }),
  );
}

async function employmentOf(organisationId: string, personId: string): Promise<readonly RecordedEvent[]> {
  return world.eventStore.readStream(employmentAggregate.streamOf(organisationId, personId));
}

describe('an upcaster', () => {
  it('gives decider, projection and timeline the new shape, and leaves the stored event and its hash chain unchanged', async () => {
    const organisationId = await newOrganisation(world);
    const personId = await createPerson(world, organisationId, { startDate: '2026-01-01' }, TODAY);
    await recordOldShape(organisationId, personId);
    const stored = (await employmentOf(organisationId, personId))[1]!;
    registerRenamedDay();

    await projectStreams(world, world.pool, [employmentAggregate.streamOf(organisationId, personId)]);
    expect(await findPerson(world.pool, organisationId, personId)).toMatchObject({
      status: 'ended',
      end_date: '2026-02-10',
    });
    const services = { executor: world.pool, store: world.eventStore, projector: world.projector };
    const { timeline } = await readTimeline(services, { organisationId, personId }, {});
    expect(timeline.segments!.map(({ effective_to: to, employed }) => [to, employed])).toEqual([
      ['2026-02-11', true],
      [null, false],
    ]);

    const rehire = (startDate: string): Promise<void> =>
      recordFact(world, organisationId, personId, { type: 'reactivate', startDate, terms: {} }, TODAY);
    await expect(rehire('2026-02-05')).rejects.toThrow('must be after the final day of the prior period, 2026-02-10');
    await rehire('2026-02-20');
    const events = await employmentOf(organisationId, personId);
    expect(events.map(({ type, metadata }) => [type, metadata.schema_version])).toEqual([
      ['EmploymentStarted', 1],
      ['EmploymentEnded', 2],
      ['EmploymentReactivated', 1],
    ]);
    expect(asStored(events[1]!)).toEqual(stored);
    expect(firstBrokenLink(events)).toBeNull();
    await allReadable(world.pool);
    let exported = '';
    for await (const text of exportHistory(world.eventStore, { publishedUpTo: null, now: world.clock.now() }))
      exported += text;
    const line = exported.split('\n').find((text) => text.includes(stored.id))!;
    expect(JSON.parse(line)).toMatchObject({
      data: { final_day: '2026-02-10' },
      metadata: { schema_version: 1, hash: stored.metadata.hash },
    });
  });
});

describe('the registry of upcasters', () => {
  const event = { type: 'thing_named', data: { a: 1 }, metadata: { schema_version: 1 } } as unknown as RecordedEvent;

  it('applies every step from the version of the event on', () => {
    const first = registerUpcaster('thing_named', 1, ({ a }) => ({ b: a! }));
    const second = registerUpcaster('thing_named', 2, ({ b }) => ({ c: b! }));
    takeBack = () => [second(), first()];
    expect(schemaVersionOf('thing_named')).toBe(3);
    expect(upcast(event)).toMatchObject({ data: { c: 1 }, metadata: { schema_version: 3 } });
    expect(upcast({ ...event, data: { b: 2 }, metadata: { ...event.metadata, schema_version: 2 } })).toMatchObject({
      data: { c: 2 },
    });
  });

  it('refuses a step that is registered twice, or that skips a version', () => {
    takeBack = registerUpcaster('thing_named', 1, (data) => data);
    expect(() => registerUpcaster('thing_named', 1, (data) => data)).toThrow(
      'events of type thing_named are at version 2, not 1',
    );
    expect(() => registerUpcaster('thing_named', 3, (data) => data)).toThrow(RangeError);
  });

  it.each([0, 3, 1.5, '1', null])('leaves an event of version %p unchanged', (schema_version) => {
    takeBack = registerUpcaster('thing_named', 1, () => ({}));
    const other = { ...event, metadata: { schema_version } } as unknown as RecordedEvent;
    expect(upcast(other)).toBe(other);
    expect(upcast({ ...event, metadata: null } as never)).toMatchObject({ data: event.data });
  });
});
