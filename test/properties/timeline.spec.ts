import fc from 'fast-check';
import { addDays } from '#kernel/dates.js';
import {
  decideEmployment,
  type EmploymentEvent,
  evolveEmployment,
  initialEmployment,
} from '#people/employment/employment.js';
import { nextChangeAfter, employmentAsOf, unchangedSince } from '#people/employment/employment-as-of.js';
import { believed, type Fact, periodsOf, type Segment, superseders } from '#people/employment/timeline.js';
import { arbitraryHistory, dateOf, DAYS } from '../support/people/histories.js';
import { naiveDay, naiveEmployment } from '../support/people/naive-timeline.js';

const RUNS = { numRuns: 1_000 };
const BEFORE = dateOf(-2);
const AFTER = dateOf(DAYS + 2);
const EVERY_DAY = Array.from({ length: DAYS + 5 }, (_, index) => addDays(BEFORE, index));

function factsOf(events: readonly EmploymentEvent[]): readonly Fact[] {
  return events.reduce(evolveEmployment, initialEmployment).facts;
}

function at(segments: readonly Segment[], day: string): Segment | undefined {
  const holding = segments.filter(
    (segment) =>
      (segment.validFrom === null || segment.validFrom <= day) && (segment.validTo === null || day < segment.validTo),
  );
  if (holding.length > 1) throw new Error(`two segments hold ${day}`);
  return holding[0];
}

describe('over random histories', () => {
  it('what is believed is on every day what the rules, said plainly, give', () => {
    fc.assert(
      fc.property(arbitraryHistory, (events) => {
        const segments = believed(factsOf(events));
        const inForce = EVERY_DAY.map((day) => {
          const segment = at(segments, day);
          return segment === undefined
            ? null
            : { employed: segment.employed, factId: segment.factId, terms: segment.terms, period: segment.period };
        });
        expect(inForce).toEqual(EVERY_DAY.map((day) => naiveDay(events, day)));
      }),
      RUNS,
    );
  });

  it('segments touch each other, none is empty, and each of its own facts begins one only once', () => {
    fc.assert(
      fc.property(arbitraryHistory, (events) => {
        const segments = believed(factsOf(events));
        segments.forEach((segment, index) => {
          expect(segment.validTo).toBe(segments[index + 1]?.validFrom ?? null);
          if (segment.validTo !== null) expect((segment.validFrom ?? '') < segment.validTo).toBe(true);
        });
        expect(new Set(segments.map((segment) => segment.factId)).size).toBe(segments.length);
      }),
      RUNS,
    );
  });

  it('a record shows on every day what the rules, said plainly, give, and changes on the days that are announced', () => {
    fc.assert(
      fc.property(arbitraryHistory, (events) => {
        const facts = factsOf(events);
        const expected = EVERY_DAY.map((day) => naiveEmployment(events, day, BEFORE, AFTER));
        const shown = EVERY_DAY.map((day) => {
          const { period, latest, factId, terms } = employmentAsOf(facts, day)!;
          const index = periodsOf(facts).findIndex((candidate) => candidate.startFactId === period.startFactId);
          return { period: index, ended: latest.finalDay !== null, factId, terms };
        });
        expect(shown).toEqual(expected);
        const told = expected.map(
          ({ factId, period }, index) =>
            `${factId} ${period} ${naiveDay(events, EVERY_DAY[index]!)?.employed === true}`,
        );
        const changes = told.map(
          (now, index) => EVERY_DAY.find((_, later) => later > index && told[later] !== now) ?? null,
        );
        expect(EVERY_DAY.map((day) => nextChangeAfter(facts, day))).toEqual(changes);
        const since = told.map((now, index) => {
          const before = told.findLastIndex((other, earlier) => earlier < index && other !== now);
          return before === -1 ? null : EVERY_DAY[before + 1];
        });
        expect(EVERY_DAY.map((day) => unchangedSince(facts, day))).toEqual(since);
      }),
      RUNS,
    );
  });

  it('a fact that is withdrawn right after it was recorded leaves what was believed before it', () => {
    fc.assert(
      fc.property(arbitraryHistory, (events) => {
        const facts = factsOf(events);
        const last = facts.at(-1)!;
        const command = {
          type: 'withdraw',
          personId: 'person',
          factId: 'withdrawal',
          correctionReason: 'It never came.',
          corrects: last.factId,
        } as const;
        const decision = decideEmployment(command, { facts });
        expect('rejection' in decision).toBe(facts.length === 1);
        if ('rejection' in decision) return;
        const after = decision.events.reduce(evolveEmployment, { facts }).facts;
        expect(believed(after)).toEqual(believed(facts.slice(0, -1)));
        expect(superseders(after).get(last.factId)?.factId).toBe('withdrawal');
        const others = (of: readonly Fact[]): unknown => [...superseders(of)].filter(([id]) => id !== last.factId);
        expect(others(after)).toEqual(others(facts.slice(0, -1)));
      }),
      RUNS,
    );
  });

  it('a prefix of a history is a valid state: periods in order, and all that is believed within them', () => {
    fc.assert(
      fc.property(arbitraryHistory, fc.nat(), (events, cut) => {
        const facts = factsOf(events.slice(0, 1 + (cut % events.length)));
        const periods = periodsOf(facts);
        periods.forEach((period, index) => {
          if (period.start !== null && period.finalDay !== null) expect(period.start <= period.finalDay).toBe(true);
          if (index > 0) expect(periods[index - 1]!.finalDay! < period.start!).toBe(true);
        });
        for (const segment of believed(facts).filter(({ employed }) => employed)) {
          const { start, finalDay } = periods[segment.period]!;
          expect([segment.validFrom === null, (segment.validFrom ?? '') >= (start ?? '')]).toEqual([
            start === null,
            true,
          ]);
          if (finalDay !== null) expect(segment.validTo !== null && segment.validTo <= addDays(finalDay, 1)).toBe(true);
        }
      }),
      RUNS,
    );
  });
});
