import fc from 'fast-check';
import { fixedRing } from '../support/fixed-ring.js';
import { MemoryEventStore } from '../support/memory-event-store.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { type PayrollChangeResponse, readPayrollChanges } from '#payroll/export/payroll-export.api.js';
import { arbitraryHistory, DAYS, dateOf } from '../support/people/histories.js';
import { naiveChanges } from '../support/people/naive-payroll.js';
import { type PersonStreams, recordHistory } from '../support/people/streams.js';
import { newOrganisation, worldForSpec } from '../support/people/world.js';

/** Far from UTC, so that the day of a recording is another one there for most of the working day. */
const TIME_ZONE = 'Pacific/Auckland';
const PEOPLE_AT_ONCE = 20;
const BATCHES = 15;
const HOUR = 3_600_000;
/** Recordings begin a little before the days that histories are about, and go on for longer than they do. */
const BEGINNING = Date.parse('2026-01-25T00:00:00Z');
const HOURS = 24 * 60;

interface Run {
  readonly from: string;
  readonly to: string;
  /** Hours since the beginning. */
  readonly moments: readonly [number, number];
}

const arbitraryDay = fc.nat({ max: DAYS - 1 });
const arbitraryRun: fc.Arbitrary<Run> = fc
  .tuple(arbitraryDay, arbitraryDay, fc.nat({ max: HOURS }), fc.nat({ max: HOURS }))
  .map(([one, other, first, second]) => {
    const [from, to] = [dateOf(Math.min(one, other)), dateOf(Math.max(one, other))];
    return { from, to, moments: [Math.min(first, second), Math.max(first, second)] };
  });
const arbitraryPerson = fc.record({
  history: arbitraryHistory,
  since: fc.nat({ max: HOURS / 2 }),
  pauses: fc.array(fc.nat({ max: 200 }), { minLength: 20, maxLength: 20 }),
});
const arbitraryPeople = fc.array(arbitraryPerson, { minLength: PEOPLE_AT_ONCE, maxLength: PEOPLE_AT_ONCE });
/**
 * The same in every run, so that each kind of change is surely among what is looked at; the rest is new every
 * time.
 */
const FIXED = fc.sample(fc.tuple(arbitraryPeople, arbitraryRun), { numRuns: 5, seed: 1 });

describe(`payroll changes of ${BATCHES * PEOPLE_AT_ONCE} random people`, () => {
  const world = worldForSpec();

  async function run(
    organisationId: string,
    { from, to }: Run,
    limit: number,
  ): Promise<readonly PayrollChangeResponse[]> {
    const rows: PayrollChangeResponse[] = [];
    const cursors = new CursorCodec(fixedRing(Buffer.alloc(32)));
    const organisation = { id: organisationId, timeZone: TIME_ZONE };
    for (let place: { readonly cursor?: string } = {}; ;) {
      const page = await readPayrollChanges(world.pool, cursors, organisation, { from, to, limit, ...place });
      rows.push(...page.rows);
      if (page.nextCursor === null) return rows;
      place = { cursor: page.nextCursor };
    }
  }

  it('a later run of a window is the earlier one and exactly what was recorded in between, as the raw events tell it', async () => {
    const seen = { types: new Set<string>(), retroactive: 0, moved: 0, added: 0 };
    await fc.assert(
      fc.asyncProperty(arbitraryPeople, arbitraryRun, async (drawn, window) => {
        const organisationId = await newOrganisation(world, TIME_ZONE);
        const people: PersonStreams[] = [];
        for (const [place, { history, since, pauses }] of drawn.entries()) {
          let hours = since;
          let event = 0;
          const store = new MemoryEventStore(
            () => new Date(BEGINNING + (hours += pauses[event++ % pauses.length]!) * HOUR),
          );
          people.push(await recordHistory(store, organisationId, `p${place}`, history));
        }
        await world.projector.project(
          world.pool,
          people.map(({ identity }) => identity),
        );
        const until = (hour: number): readonly (readonly RecordedEvent[])[] => {
          const instant = new Date(BEGINNING + hour * HOUR).toISOString();
          return people.map(({ employment }) => employment.filter(({ recordedAt }) => recordedAt <= instant));
        };
        const runAt = async (instant: number): Promise<readonly PayrollChangeResponse[]> => {
          await world.projector.project(
            world.pool,
            until(instant).filter((stream) => stream.length > 0),
          );
          return run(organisationId, window, 7);
        };
        const expectedAt = (instant: number): readonly string[] =>
          until(instant)
            .flatMap((stream, place) =>
              naiveChanges(stream, window, TIME_ZONE).map((change) =>
                JSON.stringify({ person: people[place]!.personId, ...change }),
              ),
            )
            .sort();
        const shown = (rows: readonly PayrollChangeResponse[]): readonly string[] =>
          rows.map((row) => JSON.stringify(comparable(row))).sort();

        const first = await runAt(window.moments[0]);
        const second = await runAt(window.moments[1]);
        expect(shown(first)).toEqual(expectedAt(window.moments[0]));
        expect(shown(second)).toEqual(expectedAt(window.moments[1]));
        expect(second.slice(0, first.length).map((row) => JSON.stringify(row))).toEqual(
          first.map((row) => JSON.stringify(row)),
        );
        const later = new Date(BEGINNING + window.moments[0] * HOUR).toISOString();
        expect(second.slice(first.length).every(({ recorded_at }) => recorded_at > later)).toBe(true);
        for (const { change_type } of second) seen.types.add(change_type);
        seen.retroactive += second.filter(({ is_retroactive }) => is_retroactive).length;
        seen.moved += second.filter(
          ({ corrected_effective_date, effective_date }) =>
            corrected_effective_date !== null && (effective_date < window.from || effective_date > window.to),
        ).length;
        seen.added += second.length - first.length;
      }),
      { numRuns: BATCHES, endOnFailure: true, examples: FIXED },
    );
    expect([...seen.types].sort()).toEqual(['correction', 'employment_change', 'leaver', 'rehire', 'starter']);
    expect([seen.retroactive, seen.moved, seen.added].every((count) => count > 10)).toBe(true);
  });
});

/** As the oracle writes it. */
function comparable(row: PayrollChangeResponse): object {
  const {
    fact_id,
    person,
    change_type,
    effective_date,
    corrected_effective_date,
    recorded_at,
    is_retroactive,
    changed_fields,
  } = row;
  return {
    person: person.id,
    fact_id,
    change_type,
    effective_date,
    corrected_effective_date,
    recorded_at,
    is_retroactive,
    changed_fields,
  };
}
