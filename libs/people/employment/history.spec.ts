import fc from 'fast-check';
import type { RecordedEvent } from '#event-store/event-store.js';
import { addDays } from '#kernel/dates.js';
import { decideEmployment, type EmploymentCommand, evolveEmployment, initialEmployment } from './employment.js';
import type { Row } from '#projections/projection.js';
import { beliefRows, factRows } from './history.js';
import { believed, type Segment, TERM_NAMES } from './timeline.js';

const STREAM = 'employment-org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA.aaaaaaaaaaaa';
const PERSON = { personId: 'aaaaaaaaaaaa' };

const day = fc.integer({ min: 0, max: 40 }).map((days) => addDays('2024-01-01', days));
const terms = fc.record(
  { job_title: fc.constantFrom('A', 'B', null), contracted_weekly_minutes: fc.constantFrom(900, 2_250) },
  { requiredKeys: [] },
);

/** Commands of every kind; those that the state refuses record nothing. */
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('change' as const), startDate: day, terms, today: day }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('correct' as const),
      startDate: day,
      terms,
      corrects: fc.nat({ max: 12 }),
      correctionReason: fc.constant('wrong'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('end' as const), endDate: day }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reactivate' as const), startDate: day, terms }) },
);

type GeneratedCommand = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

function historyOf(startDate: string | null, requested: readonly GeneratedCommand[]): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let state = initialEmployment;
  const record = (asked: EmploymentCommand): void => {
    const decision = decideEmployment(asked, state);
    for (const event of 'events' in decision ? decision.events : []) {
      state = evolveEmployment(state, event);
      events.push({
        ...event,
        stream: STREAM,
        revision: events.length,
        metadata: { actor: { type: 'system', id: 'test' } },
      } as unknown as RecordedEvent);
    }
  };
  record({ type: 'start', ...PERSON, factId: 'fact_0', startDate, terms: {} });
  for (const asked of requested) {
    const dated = { ...PERSON, factId: `fact_${events.length}` };
    if (asked.type === 'correct')
      record({ ...asked, ...dated, corrects: asked.corrects < events.length ? `fact_${asked.corrects}` : null });
    else record({ ...asked, ...dated } as EmploymentCommand);
  }
  return events;
}

function comparable(segment: Segment): object {
  return {
    valid: `[${segment.validFrom ?? ''},${segment.validTo ?? ''})`,
    employed: segment.employed,
    fact_id: segment.factId,
    ...Object.fromEntries(TERM_NAMES.map((name) => [name, segment.terms[name]])),
  };
}

describe('the rows of what was believed', () => {
  it('equal at every revision the fold of the facts up to it', () => {
    fc.assert(
      fc.property(fc.option(day), fc.array(command, { maxLength: 12 }), (startDate, requested) => {
        const events = historyOf(startDate, requested);
        const rows = beliefRows(events);
        const facts = events.reduce((state, event) => evolveEmployment(state, event as never), initialEmployment).facts;
        for (let revision = 0; revision < facts.length; revision += 1) {
          const then = rows
            .filter((row) => {
              const [from, to] = /^\[(\d+),(\d*)\)$/.exec(row['known'] as string)!.slice(1);
              return Number(from) <= revision && (to === '' || revision < Number(to));
            })
            .sort((one, other) => (String(one['valid_from']) < String(other['valid_from']) ? -1 : 1));
          expect(
            then.map(
              ({ organisation_id: _o, person_id: _p, known: _k, known_from: _f, valid_from: _v, ...row }) => row,
            ),
          ).toEqual(believed(facts.slice(0, revision + 1)).map(comparable));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('never share both a day and a revision', () => {
    fc.assert(
      fc.property(fc.option(day), fc.array(command, { maxLength: 12 }), (startDate, requested) => {
        const rows = beliefRows(historyOf(startDate, requested));
        const overlapping = rows.flatMap((one, index) =>
          rows
            .slice(index + 1)
            .filter((other) => ['valid', 'known'].every((column) => overlap(one[column], other[column]))),
        );
        expect(overlapping).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('changed by later facts complete the existing ones to those of the whole stream', () => {
    fc.assert(
      fc.property(
        fc.option(day),
        fc.array(command, { maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        (startDate, requested, cut, ahead) => {
          const events = historyOf(startDate, requested);
          const seen = cut % events.length;
          const there = new Map(beliefRows(events.slice(0, seen + 1)).map((row) => [keyOf(row), row]));
          for (const row of beliefRows(events, seen)) {
            if (row['known_from'] !== null) there.set(keyOf(row), row);
            else {
              const [ended] = [...there.values()].filter(
                (one) => one['valid_from'] === row['valid_from'] && /,\)$/.test(one['known'] as string),
              );
              there.set(keyOf(ended!), {
                ...ended!,
                known: `[${String(ended!['known_from'])}${/,\d+\)$/.exec(row['known'] as string)![0]}`,
              });
            }
          }
          expect(there).toEqual(new Map(beliefRows(events).map((row) => [keyOf(row), row])));
          // The tables may contain later revisions than the writer has seen.
          const factsThere = factRows(events.slice(0, seen + 1 + (ahead % (events.length - seen))));
          const facts = new Map([...factsThere, ...factRows(events, seen)].map((row) => [row['revision'], row]));
          expect([...facts.values()]).toEqual(factRows(events));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

/** Whether two ranges in PostgreSQL's notation share a value. */
function overlap(one: Row[string] | undefined, other: Row[string] | undefined): boolean {
  const [[from, to], [otherFrom, otherTo]] = [one, other].map(endsOf) as [Ends, Ends];
  return isBefore(from, otherTo) && isBefore(otherFrom, to) && isBefore(from, to) && isBefore(otherFrom, otherTo);
}

type Ends = readonly [from: string, to: string];

function endsOf(range: Row[string] | undefined): Ends {
  const [, from, to] = /^\[(.*),(.*)\)$/.exec(String(range))!;
  return [from!, to!];
}

/**
 * Days sort as text of equal length, revisions as numbers; an end that is not given is before or after all
 * others.
 */
function isBefore(from: string, to: string): boolean {
  return from === '' || to === '' || from.padStart(10, '0') < to.padStart(10, '0');
}

function keyOf(row: Row): string {
  return `${String(row['known_from'])} ${String(row['valid_from'])}`;
}
