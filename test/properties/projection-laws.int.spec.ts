import fc from 'fast-check';
import type { MemoryEventStore } from '../support/memory-event-store.js';
import { readTimeline } from '#people/timeline/read-timeline.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import type { Stream } from '#projections/projection.js';
import type { EmploymentEvent } from '#people/employment/employment.js';
import { peopleProjection } from '#people/record/people.js';
import { arbitraryHistory } from '../support/people/histories.js';
import { type PersonStreams, recordHistory, steppingStore } from '../support/people/streams.js';
import { contentByPerson, forgetPeople } from '../support/people/tables.js';
import { newOrganisation, worldForSpec } from '../support/people/world.js';
import { testSize } from '../support/test-size.js';

/**
 * A run is one random person: their whole history against each law. People are taken together, so that a law
 * costs one round trip for fifty runs.
 */
const PEOPLE_AT_ONCE = 50;
const BATCHES = testSize('PROJECTED_BATCHES', { usual: 6, long: 40 });

const arbitraryPeople = fc.array(arbitraryHistory, { minLength: PEOPLE_AT_ONCE, maxLength: PEOPLE_AT_ONCE });

/** How events may come: which streams, up to where, and how many of them together. */
const arbitraryDelivery = fc.array(fc.record({ stream: fc.nat(), cut: fc.nat() }), { minLength: 50, maxLength: 200 });

describe(`over ${BATCHES * PEOPLE_AT_ONCE} random people`, () => {
  const world = worldForSpec();
  let store: MemoryEventStore;
  const organisations: string[] = [];

  beforeAll(async () => {
    store = steppingStore();
    world.clock.standAt('2026-02-15T12:00:00Z');
  });

  async function record(
    histories: readonly (readonly EmploymentEvent[])[],
  ): Promise<{ organisationId: string; people: readonly PersonStreams[] }> {
    const organisationId = await newOrganisation(world);
    organisations.push(organisationId);
    const people: PersonStreams[] = [];
    for (const [place, history] of histories.entries())
      people.push(await recordHistory(store, organisationId, `p${place}`, history));
    await world.pool.query(
      `insert into person_keys (organisation_id, person_id, key) select $1, unnest($2::text[]), $3`,
      [organisationId, people.map((person) => person.personId), Buffer.alloc(32)],
    );
    return { organisationId, people };
  }

  /** Event by event: every stream up to its first event, then to its second, and so on. */
  async function projectIncrementally(streams: readonly Stream[]): Promise<void> {
    const longest = Math.max(...streams.map((stream) => stream.length));
    for (let length = 1; length <= longest; length += 1) {
      const grown = streams.filter((stream) => stream.length >= length).map((stream) => stream.slice(0, length));
      await world.projector.project(world.pool, grown);
    }
  }

  it('the tables are the same event by event, from whole streams, however events are repeated, cut and ordered between streams, and rebuilt', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPeople, arbitraryDelivery, async (histories, delivery) => {
        const { organisationId, people } = await record(histories);
        const streams = people
          .flatMap(({ employment, identity, effect }) => [employment, identity, effect])
          .filter((stream) => stream.length > 0);
        await projectIncrementally(streams);
        const incremental = await contentByPerson(world.pool, [organisationId]);
        expect(incremental.size).toBe(
          PEOPLE_AT_ONCE * 2 + people.filter(({ employment }) => hasDates(employment)).length,
        );

        await forgetPeople(world.pool, organisationId);
        await world.projector.project(world.pool, streams);
        expect(await contentByPerson(world.pool, [organisationId])).toEqual(incremental);

        await forgetPeople(world.pool, organisationId);
        for (const batch of batchesOf(delivery, streams)) await world.projector.project(world.pool, batch);
        for (const stream of [...streams].reverse()) await world.projector.project(world.pool, [stream]);
        await world.projector.project(
          world.pool,
          streams.map((stream) => stream.slice(0, 1)),
        );
        expect(await contentByPerson(world.pool, [organisationId])).toEqual(incremental);
      }),
      { numRuns: BATCHES, endOnFailure: true },
    );
    const before = await contentByPerson(world.pool, organisations);
    const rebuilt = await rebuild({ pool: world.pool, eventStore: store, clock: world.clock }, peopleProjection);
    expect(rebuilt.differences).toBe(0);
    expect(await contentByPerson(world.pool, organisations)).toEqual(before);
  });

  it('the tables are the same however far they have come when a writer extends them, and however little of that it knows', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPeople, arbitraryDelivery, async (histories, delivery) => {
        const { organisationId, people } = await record(histories);
        const streams = people.map(({ employment }) => employment);
        await world.projector.project(world.pool, streams);
        const whole = await contentByPerson(world.pool, [organisationId]);
        await forgetPeople(world.pool, organisationId);
        const stored = new Map<string, number>();
        const step = async (stream: Stream, upTo: number, seen: number): Promise<void> => {
          const context = { today: () => '2026-02-15', personKey: () => null, seen: () => (seen < 0 ? null : seen) };
          await world.projector.project(world.pool, [stream.slice(0, upTo)], context);
          stored.set(stream[0]!.stream, Math.max(stored.get(stream[0]!.stream) ?? -1, upTo - 1));
        };
        for (const { stream: place, cut } of delivery) {
          const stream = streams[place % streams.length]!;
          const known = stored.get(stream[0]!.stream) ?? -1;
          await step(stream, 1 + (cut % stream.length), known - (cut % (known + 2)));
        }
        for (const stream of streams) await step(stream, stream.length, stored.get(stream[0]!.stream) ?? -1);
        expect(await contentByPerson(world.pool, [organisationId])).toEqual(whole);
      }),
      { numRuns: BATCHES / 2, endOnFailure: true },
    );
  });

  it('what was known at a time stays what it was, byte for byte, whatever is recorded later', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryPeople,
        fc.array(fc.nat(), { minLength: PEOPLE_AT_ONCE, maxLength: PEOPLE_AT_ONCE }),
        async (histories, cuts) => {
          const { organisationId, people } = await record(histories);
          const prefixes = people.map(({ employment }, place) =>
            employment.slice(0, 1 + (cuts[place]! % employment.length)),
          );
          const ask = async (place: number): Promise<string> => {
            const knownAt = prefixes[place]!.at(-1)!.recordedAt;
            const { timeline } = await readTimeline(
              { executor: world.pool, store, projector: world.projector },
              { organisationId, personId: people[place]!.personId },
              { known_at: knownAt },
            );
            return JSON.stringify(timeline);
          };
          await world.projector.project(world.pool, prefixes);
          const before = await Promise.all(people.map((_, place) => ask(place)));
          await projectIncrementally(people.map(({ employment }) => employment));
          expect(await Promise.all(people.map((_, place) => ask(place)))).toEqual(before);
        },
      ),
      { numRuns: BATCHES, endOnFailure: true },
    );
  });
});

function hasDates(employment: Stream): boolean {
  return employment.some((event) => typeof (event.data['start_date'] ?? event.data['end_date']) === 'string');
}

/**
 * Streams in an order of chance, each up to a place of chance, some of them many times over; a stream once in
 * a batch.
 */
function batchesOf(
  delivery: readonly { readonly stream: number; readonly cut: number }[],
  streams: readonly Stream[],
): readonly (readonly Stream[])[] {
  const batches: Map<string, Stream>[] = [new Map()];
  for (const { stream, cut } of delivery) {
    const chosen = streams[stream % streams.length]!;
    const part = chosen.slice(0, 1 + (cut % chosen.length));
    if (batches.at(-1)!.has(chosen[0]!.stream) || cut % 7 === 0) batches.push(new Map());
    batches.at(-1)!.set(chosen[0]!.stream, part);
  }
  return batches.filter((batch) => batch.size > 0).map((batch) => [...batch.values()]);
}
