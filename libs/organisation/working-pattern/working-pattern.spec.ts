import { fold } from '#kernel/aggregate.js';
import {
  decideWorkingPattern,
  evolveWorkingPattern,
  initialWorkingPattern,
  weeklyMinutes,
  type WorkingPattern,
  type WorkingPatternCommand,
  type WorkingPatternEvent,
} from './working-pattern.js';

const MONDAY = { week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 210 };
const PATTERN: WorkingPattern = {
  label: 'Alternate Mondays',
  cycle_weeks: 2,
  anchor_date: '2026-01-05',
  days: [MONDAY],
};
const CREATED: WorkingPatternEvent = { type: 'WorkingPatternCreated', data: PATTERN };
const ARCHIVED: WorkingPatternEvent = { type: 'WorkingPatternArchived', data: {} };

function when(command: WorkingPatternCommand, ...given: readonly WorkingPatternEvent[]) {
  return decideWorkingPattern(command, fold({ initial: initialWorkingPattern, evolve: evolveWorkingPattern }, given));
}

describe('a working pattern that does not exist', () => {
  it('is created', () => expect(when({ type: 'create', pattern: PATTERN })).toEqual({ events: [CREATED] }));

  it('keeps its days in order, and nothing else of them', () => {
    const [first, second, third] = [MONDAY, { ...MONDAY, weekday: 5 }, { ...MONDAY, week: 2 }];
    const days = [third, { ...second, note: 'x' }, first];
    expect(when({ type: 'create', pattern: { ...PATTERN, days } })).toMatchObject({
      events: [{ data: { days: [first, second, third] } }],
    });
  });

  it.each<[string, Partial<WorkingPattern>]>([
    ['label', { label: '' }],
    ['cycle_weeks', { cycle_weeks: 0 }],
    ['cycle_weeks', { cycle_weeks: 9 }],
    ['cycle_weeks', { cycle_weeks: 1.5 }],
    ['anchor_date', { anchor_date: '2026-02-30' }],
    ['days[0].week', { days: [{ ...MONDAY, week: 3 }] }],
    ['days[1].weekday', { days: [MONDAY, { ...MONDAY, weekday: 0 }] }],
    ['days[0].weekday', { days: [{ ...MONDAY, weekday: 8 }] }],
    ['days[0].morning_minutes', { days: [{ ...MONDAY, morning_minutes: -1 }] }],
    ['days[0].afternoon_minutes', { days: [{ ...MONDAY, afternoon_minutes: 1.5 }] }],
    ['days[0]', { days: [{ ...MONDAY, morning_minutes: 1_440 }] }],
    ['days[1]', { days: [MONDAY, MONDAY] }],
  ])('is refused for its %s: %j', (field, fields) => {
    const decision = when({ type: 'create', pattern: { ...PATTERN, ...fields } });
    expect(decision).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field }] } });
  });

  it('cannot be changed or archived', () => {
    expect(when({ type: 'change', changes: { label: 'Other' } })).toMatchObject({ rejection: { kind: 'not_found' } });
    expect(when({ type: 'archive' })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('a working pattern', () => {
  it('has the mean of its weeks as weekly minutes', () => {
    expect(weeklyMinutes(PATTERN)).toBe(225);
    expect(weeklyMinutes({ cycle_weeks: 3, days: [{ ...MONDAY, morning_minutes: 200, afternoon_minutes: 0 }] })).toBe(
      66.6667,
    );
    expect(weeklyMinutes({ cycle_weeks: 8, days: [] })).toBe(0);
  });

  it('is not created again', () => {
    expect(when({ type: 'create', pattern: PATTERN }, CREATED)).toMatchObject({ rejection: { kind: 'conflict' } });
  });

  it('records only what changes', () => {
    const changes = { ...PATTERN, label: 'Every Monday', cycle_weeks: 1, days: [{ ...MONDAY }] };
    expect(when({ type: 'change', changes }, CREATED)).toEqual({
      events: [{ type: 'WorkingPatternChanged', data: { changes: { label: 'Every Monday', cycle_weeks: 1 } } }],
    });
    expect(when({ type: 'change', changes: { days: [MONDAY] } }, CREATED)).toEqual({ events: [] });
  });

  it('refuses a cycle that is too short for its days, unless they change too', () => {
    const second: WorkingPatternEvent = {
      type: 'WorkingPatternChanged',
      data: { changes: { days: [MONDAY, { ...MONDAY, week: 2 }] } },
    };
    const shorter = when({ type: 'change', changes: { cycle_weeks: 1 } }, CREATED, second);
    expect(shorter).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field: 'days[1].week' }] } });
    expect(when({ type: 'change', changes: { cycle_weeks: 1, days: [MONDAY] } }, CREATED, second)).toMatchObject({
      events: [{ type: 'WorkingPatternChanged' }],
    });
  });

  it('is archived once, and not changed then', () => {
    expect(when({ type: 'archive' }, CREATED)).toEqual({ events: [ARCHIVED] });
    for (const command of [{ type: 'archive' }, { type: 'change', changes: { label: 'Other' } }] as const) {
      expect(when(command, CREATED, ARCHIVED)).toMatchObject({
        rejection: { kind: 'conflict', details: [{ field: 'archived_at' }] },
      });
    }
  });
});
