import fc from 'fast-check';
import { dateIn } from '#kernel/dates.js';
import {
  employmentAggregate,
  type EmploymentEvent,
  evolveEmployment,
  initialEmployment,
} from '#people/employment/employment.js';
import { runEffectiveDateJob } from '#people/timeline/effective-date-job.js';
import { nextChangeAfter, employmentAsOf, unchangedSince } from '#people/employment/employment-as-of.js';
import { TERM_NAMES } from '#people/employment/timeline.js';
import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { testContext } from '../support/command-services.js';
import { arbitraryHistory, FIRST_DAY, DAYS } from '../support/people/histories.js';
import { recordEmployment } from '../support/people/streams.js';
import { newOrganisation, worldForSpec } from '../support/people/world.js';

const RUNS = 25;
/** From one end of the day to the other. */
const ZONES = ['Pacific/Kiritimati', 'Asia/Tokyo', 'UTC', 'America/New_York', 'Pacific/Pago_Pago'] as const;
const MINUTES = DAYS * 24 * 60;

interface Step {
  /** To another time zone, or on in time by so many minutes of a day and so many days. */
  readonly zone: (typeof ZONES)[number] | null;
  readonly minutes: number;
}

const arbitraryStep: fc.Arbitrary<Step> = fc.record({
  zone: fc.option(fc.constantFrom(...ZONES), { freq: 2 }),
  minutes: fc.oneof(fc.nat({ max: 90 }), fc.nat({ max: 3 * 24 * 60 })),
});

const world = worldForSpec();

/** What the row of a person shows, and for which days. */
async function rowsOf(organisationId: string): Promise<ReadonlyMap<string, object>> {
  const { rows } = await world.pool.query<{ person_id: string }>(
    `select person_id, fact_id, effective_from, effective_to, start_date, end_date, ${TERM_NAMES.join(', ')}, shown_since, next_change_on from people where organisation_id = $1`,
    [organisationId],
  );
  return new Map(rows.map(({ person_id, ...row }) => [person_id, row]));
}

function expectedRow(history: readonly EmploymentEvent[], today: string): object {
  const { facts } = history.reduce(evolveEmployment, initialEmployment);
  const { factId, effectiveFrom, effectiveTo, period, terms } = employmentAsOf(facts, today)!;
  const dates = {
    effective_from: effectiveFrom,
    effective_to: effectiveTo,
    start_date: period.start,
    end_date: period.finalDay,
  };
  return {
    fact_id: factId,
    ...dates,
    ...terms,
    shown_since: unchangedSince(facts, today),
    next_change_on: nextChangeAfter(facts, today),
  };
}

/** Of each effect, how often it is told: as many times as it was recorded as having taken effect. */
async function timesTold(organisationId: string, personId: string): Promise<readonly number[]> {
  const counts = new Map<string, number>();
  for (const { type, data } of await world.eventStore.readStream(`employment-effect-${organisationId}.${personId}`)) {
    const key = JSON.stringify(data);
    if (type === 'EmploymentTookEffect') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts.values()];
}

it(`whatever time zones an organisation moves to, and whenever, rows show the present day there, and no effect is told twice (${RUNS} lives of five people)`, async () => {
  const property = fc.asyncProperty(
    fc.array(arbitraryHistory, { minLength: 5, maxLength: 5 }),
    fc.constantFrom(...ZONES),
    fc.nat({ max: MINUTES }),
    fc.array(arbitraryStep, { minLength: 3, maxLength: 12 }),
    async (histories, firstZone, firstMinute, steps) => {
      let zone: string = firstZone;
      let now = new Date(Date.parse(`${FIRST_DAY}T00:00:00Z`) + firstMinute * 60_000);
      world.clock.standAt(now.toISOString());
      const organisationId = await newOrganisation(world, zone);
      const people = await Promise.all(
        histories.map((history, place) => recordEmployment(world.eventStore, organisationId, `p${place}`, history)),
      );
      await world.projector.project(
        world.pool,
        await world.eventStore.readStreams(
          people.map((personId) => employmentAggregate.streamOf(organisationId, personId)),
        ),
      );
      // What was due when it was projected is rolled first: recorded times are today's, far from the dates of
      // the histories.
      await runEffectiveDateJob(world);
      for (const step of [{ zone: null, minutes: 0 }, ...steps]) {
        if (step.zone === null) {
          now = new Date(now.getTime() + step.minutes * 60_000);
          world.clock.standAt(now.toISOString());
          await runEffectiveDateJob(world);
        } else {
          zone = step.zone;
          const services = {
            store: world.eventStore,
            executor: world.pool,
            projector: world.projector,
            mint: world.mint,
          };
          await setOrganisation(services, testContext(organisationId), { time_zone: zone }, world.clock);
        }
        const today = dateIn(zone, now);
        const expected = new Map(people.map((personId, place) => [personId, expectedRow(histories[place]!, today)]));
        expect(await rowsOf(organisationId)).toEqual(expected);
      }
      for (const personId of people)
        for (const times of await timesTold(organisationId, personId)) expect(times).toBe(1);
    },
  );
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
});
