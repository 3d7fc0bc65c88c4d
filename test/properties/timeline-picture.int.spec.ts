import fc from 'fast-check';
import { areasOf, beliefAt, type Field, FIELDS, valueText } from '../../apps/console/src/data/beliefs.js';
import { readBeliefs, readTimeline } from '#people/timeline/read-timeline.js';
import type { BeliefsResponse } from '#people/timeline/employment-shapes.js';
import type { MemoryEventStore } from '../support/memory-event-store.js';
import { arbitraryHistory, dateOf, DAYS } from '../support/people/histories.js';
import { type PersonStreams, recordHistory, steppingStore } from '../support/people/streams.js';
import { createWorld, newOrganisation, type World } from '../support/people/world.js';
import { testSize } from '../support/test-size.js';

const PEOPLE_AT_ONCE = 50;
const BATCHES = testSize('PICTURE_BATCHES', { usual: 2, long: 20 });

const arbitraryPerson = fc.record({
  history: arbitraryHistory,
  days: fc.array(fc.integer({ min: -2, max: DAYS + 2 }), { minLength: 3, maxLength: 3 }),
  facts: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
});

describe(`over ${BATCHES * PEOPLE_AT_ONCE} random histories`, () => {
  let world: World;
  let store: MemoryEventStore;

  beforeAll(async () => {
    world = await createWorld();
    store = steppingStore();
  });
  afterAll(() => world.database.drop());

  it('the picture has for each day and moment what the timeline says, and its areas the value of each term', async () => {
    const arbitraryPeople = fc.array(arbitraryPerson, { minLength: PEOPLE_AT_ONCE, maxLength: PEOPLE_AT_ONCE });
    await fc.assert(
      fc.asyncProperty(arbitraryPeople, async (people) => {
        const organisationId = await newOrganisation(world);
        const recorded: PersonStreams[] = [];
        for (const [place, { history }] of people.entries())
          recorded.push(await recordHistory(store, organisationId, `p${place}`, history));
        await world.projector.project(
          world.pool,
          recorded.flatMap(({ employment, identity }) => [employment, identity]),
        );
        await Promise.all(
          people.map(async ({ days, facts }, place) => {
            const { personId, employment } = recorded[place]!;
            const owner = { organisationId, personId };
            const data = await readBeliefs(world.pool, owner, employment.length);
            for (const [index, offset] of days.entries()) {
              const day = dateOf(offset);
              const instants = [
                null,
                momentBeside(employment[facts[index]! % employment.length]!.recordedAt, index - 1),
              ];
              for (const instant of instants) await compare(owner, data, day, instant);
            }
          }),
        );
      }),
      { numRuns: BATCHES, endOnFailure: true },
    );
  });

  /** A millisecond before a moment, the moment, or a millisecond after it. */
  function momentBeside(instant: string, milliseconds: number): string {
    return new Date(Date.parse(instant) + milliseconds).toISOString();
  }

  async function compare(
    owner: { readonly organisationId: string; readonly personId: string },
    data: BeliefsResponse,
    day: string,
    instant: string | null,
  ): Promise<void> {
    const services = { executor: world.pool, store, projector: world.projector };
    const query = { as_of: day, ...(instant === null ? {} : { known_at: instant }) };
    const { timeline } = await readTimeline(services, owner, query);
    const drawn = beliefAt(data.beliefs as Parameters<typeof beliefAt>[0], day, instant);
    const segment = timeline.segment ?? null;
    expect([day, instant, shownOf(drawn)]).toEqual([day, instant, shownOf(segment)]);
    for (const field of Object.keys(FIELDS) as Field[]) {
      const areas = areasOf(data.beliefs as Parameters<typeof areasOf>[0], data.facts, field).filter(
        ({ from, to, knownFrom, knownTo }) =>
          (from ?? '') <= day &&
          (to === null || day < to) &&
          (instant === null ? knownTo === null : knownFrom <= instant && (knownTo === null || instant < knownTo)),
      );
      const text = segment === null ? [] : [segment.employed ? valueText(field, segment[field]) : 'Not employed'];
      expect([field, areas.map((area) => area.text)]).toEqual([field, text]);
    }
  }

  function shownOf(belief: object | null): object | null {
    if (belief === null) return null;
    const { fact_id, effective_from, effective_to, employed, ...rest } = belief as Record<string, unknown>;
    const terms = Object.fromEntries(Object.keys(FIELDS).map((field) => [field, rest[field]]));
    return { fact_id, effective_from, effective_to, employed, fte: rest['fte'], ...terms };
  }
});
