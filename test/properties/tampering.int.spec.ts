import fc from 'fast-check';
import { anchorAll, loadAnchorKey } from '#audit/anchor-store.js';
import { verifyHistory, type Verification } from '#audit/verify.js';
import { PROJECTIONS } from '#composition/registry.js';
import { type EventRow, tamper, type Tampering, TAMPERINGS } from '../support/audit/tampering.js';
import { createPerson, newOrganisation, recordFact, worldForSpec } from '../support/people/world.js';
import { allReadable } from '../support/postgres.js';
import { testSize } from '../support/test-size.js';

/** How many edits of chance there are; more by the environment. */
const EDITS = testSize('TAMPERINGS', { usual: 50, long: 500 });

const world = worldForSpec();
let publicKeys: readonly string[];
let anchored: readonly EventRow[];
let since: readonly EventRow[];

beforeAll(async () => {
  await recordPeople(6);
  await allReadable(world.pool);
  const key = await loadAnchorKey(world.pool);
  publicKeys = [key.publicKey];
  expect(await anchorAll({ ...world, key })).toHaveLength(1);
  anchored = await allEvents();
  await recordPeople(3);
  await allReadable(world.pool);
  since = (await allEvents()).slice(anchored.length);
  // So that an edit can number again, and everything can be put back.
  await world.pool.query('alter table events drop constraint events_revision_check');
  await world.pool.query('create table events_as_they_were as select * from events');
});

afterEach(putBack);

async function recordPeople(count: number): Promise<void> {
  const organisation = await newOrganisation(world);
  for (let number = 0; number < count; number += 1) {
    const person = await createPerson(world, organisation, {
      startDate: '2026-01-01',
      terms: { job_title: `Engineer ${number}` },
    });
    for (const day of ['2026-02-01', '2026-03-01', '2026-04-01'])
      await recordFact(world, organisation, person, {
        type: 'change',
        startDate: day,
        terms: { job_title: day },
        today: day,
      });
  }
}

async function allEvents(): Promise<readonly EventRow[]> {
  const { rows } = await world.pool.query<EventRow & { revision: string }>(
    'select * from events order by transaction_id, position',
  );
  return rows.map((row) => ({ ...row, revision: Number(row.revision) }));
}

async function putBack(): Promise<void> {
  await tamper(world.pool, async (connection) => {
    await connection.query('delete from events');
    await connection.query('insert into events overriding system value select * from events_as_they_were');
  });
}

function verify(options: { readonly organisationId?: string } = {}): Promise<Verification> {
  return verifyHistory({ ...world, projections: PROJECTIONS, publicKeys, ...options });
}

/** Does it to an event of these that it suits. */
async function doTo(
  tampering: Tampering,
  events: readonly EventRow[],
  [target, chance]: readonly [number, number],
): Promise<{ readonly stream: string; readonly revision: number | null }> {
  const suited = events.filter((event) => tampering.suits(event, streamOf(event, events), events));
  const event = suited[target % suited.length]!;
  return tamper(world.pool, (connection) => tampering.edit(connection, event, streamOf(event, events), chance));
}

function streamOf({ stream }: EventRow, events: readonly EventRow[]): readonly EventRow[] {
  return events.filter((event) => event.stream === stream);
}

const chances = fc.tuple(fc.nat(), fc.nat());
const drawn = (): [number, number] => fc.sample(chances, 1)[0]!;

it('finds nothing in a history that nobody touched', async () => {
  const { events, findings, anchored: covered, lastAnchor } = await verify();
  expect(findings).toEqual([]);
  expect([events, covered, lastAnchor?.document.number]).toEqual([anchored.length + since.length, anchored.length, 1]);
});

it.each(TAMPERINGS)('finds, in what an anchor covers, and names: $name', async (tampering) => {
  const place = await doTo(tampering, anchored, drawn());
  expect((await verify()).findings).toContainEqual(expect.objectContaining(place));
});

it.each(TAMPERINGS.filter(({ needsAnchor }) => needsAnchor === undefined))(
  'finds, since the last anchor, and names: $name',
  async (tampering) => {
    const place = await doTo(tampering, since, drawn());
    expect((await verify()).findings).toContainEqual(expect.objectContaining(place));
  },
);

it(`finds and names each of ${EDITS} edits of chance`, async () => {
  const edits = fc.tuple(fc.constantFrom(...TAMPERINGS), chances);
  await fc.assert(
    fc.asyncProperty(edits, async ([tampering, chance]) => {
      const place = await doTo(tampering, anchored, chance);
      const { findings } = await verify();
      await putBack();
      expect([tampering.name, findings]).toEqual([
        tampering.name,
        expect.arrayContaining([expect.objectContaining(place)]),
      ]);
    }),
    { numRuns: EDITS },
  );
});

it('tells only of the organisation that is asked for', async () => {
  const { stream } = await doTo(TAMPERINGS[0]!, anchored, drawn());
  const organisationId = stream.slice(stream.indexOf('-org_') + 1).slice(0, 34);
  expect((await verify({ organisationId })).found).toBeGreaterThan(0);
  expect((await verify({ organisationId: 'org_another' })).findings).toEqual([]);
});
