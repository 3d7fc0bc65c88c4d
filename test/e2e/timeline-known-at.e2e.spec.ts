import fc from 'fast-check';
import { PeopleActions } from '../support/api/people.js';
import type { Fact, Segment, Timeline } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { testSize } from '../support/test-size.js';

const RUNS = testSize('KNOWN_AT_LIVES', { usual: 8, long: 100, eventStoreDb: 4 });

const api = TestApi.forSpec({ clock: { now: () => new Date('2026-06-15T12:00:00Z') } });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const day = fc
  .integer({ min: 0, max: 900 })
  .map((days) => new Date(Date.UTC(2024, 0, 1 + days)).toISOString().slice(0, 10));
const terms = fc.record(
  {
    job_title: fc.constantFrom('A', 'B', 'C', null),
    contracted_weekly_minutes: fc.constantFrom(0, 1000, null),
    department: fc.boolean(),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('change' as const), date: day, terms }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('correct' as const), date: day, terms }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('replace' as const), date: day, terms, which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('end' as const), date: day }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('reactivate' as const), date: day, terms }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Takes the step; false where it is refused, as random steps often are. */
async function take(id: string, chosen: Step, facts: readonly Fact[]): Promise<boolean> {
  const { client, references } = organisation;
  const { department = undefined, ...plain } = 'terms' in chosen ? chosen.terms : {};
  const named = {
    ...plain,
    ...(department === undefined ? {} : { department_id: department ? references.department_id : null }),
  };
  const post = async (action: string, body: object): Promise<number> =>
    (
      await client.post(`/people/${id}/${action}`, body, {
        ifMatch: action === 'employment-history' ? undefined : await people.personTag(id),
      })
    ).status;
  const reason = { correction_reason: 'random' };
  switch (chosen.type) {
    case 'change':
      return (
        (
          await client.patch(
            `/people/${id}/employment`,
            { start_date: chosen.date, ...named },
            { ifMatch: await people.employmentTag(id) },
          )
        ).status === 200
      );
    case 'correct':
      return (await post('employment-history', { start_date: chosen.date, ...named, ...reason })) === 201;
    case 'replace':
      return (
        (await post('employment-history', {
          start_date: chosen.date,
          ...named,
          ...reason,
          corrects: facts[chosen.which % facts.length]!.fact_id,
        })) === 201
      );
    case 'end':
      return (await post('end', { end_date: chosen.date })) === 200;
    case 'reactivate':
      return (await post('reactivate', { start_date: chosen.date, ...named })) === 200;
  }
}

/** What was answered when the newest fact was known, and how to ask for it again. */
interface Snapshot {
  readonly knownAt: string;
  readonly version: number;
  readonly segments: readonly Segment[];
  readonly texts: ReadonlyMap<string, string>;
}

async function snapshot(id: string, facts: readonly Fact[]): Promise<Snapshot> {
  const now = await people.timeline(id);
  const knownAt = facts.at(-1)!.recorded_at;
  return { knownAt, version: now.timeline_version, segments: now.segments, texts: await texts(id, knownAt) };
}

/** The answers for a moment of knowledge as they came over the wire: whole, and on some days. */
async function texts(id: string, knownAt: string): Promise<ReadonlyMap<string, string>> {
  const queries = [{}, ...['2023-12-31', '2024-01-01', '2025-03-07', '2027-01-01'].map((as_of) => ({ as_of }))];
  const answers = await Promise.all(
    queries.map((query) =>
      organisation.client.get<Timeline>(`/people/${id}/timeline`, { ...query, known_at: knownAt }),
    ),
  );
  return new Map(answers.map(({ text }, index) => [JSON.stringify(queries[index]), text]));
}

describe('known_at', () => {
  it(`answers for a moment, byte for byte, what was answered then, whatever is recorded later (${RUNS} random lives)`, async () => {
    let taken = 0;
    const lives = fc.asyncProperty(
      fc.option(day, { nil: null }),
      fc.array(step, { minLength: 3, maxLength: 14 }),
      async (startDate, steps) => {
        const person = await people.create({ start_date: startDate, job_title: 'A' });
        let facts = await people.facts(person.id);
        const snapshots = [await snapshot(person.id, facts)];
        for (const chosen of steps) {
          if (!(await take(person.id, chosen, facts))) continue;
          taken += 1;
          facts = await people.facts(person.id);
          snapshots.push(await snapshot(person.id, facts));
        }
        for (const { knownAt, version, segments, texts: before } of snapshots) {
          const again = await people.timeline(person.id, { known_at: knownAt });
          expect([again.timeline_version, again.segments]).toEqual([version, segments]);
          expect(await texts(person.id, knownAt)).toEqual(before);
        }
      },
    );
    await fc.assert(lives, { numRuns: RUNS, endOnFailure: true });
    expect(taken).toBeGreaterThan(RUNS < 20 ? RUNS : RUNS * 3);
  });
});
