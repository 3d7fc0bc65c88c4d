import { fold } from '#kernel/decider.js';
import {
  decideWorkingPattern,
  evolveWorkingPattern,
  initialWorkingPattern,
  weeklyMinutes,
  type WorkingPattern,
  type WorkingPatternCommand,
  type WorkingPatternEvent,
} from './working-pattern.decider.js';

const MONDAY = { week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 210 };
const PATTERN: WorkingPattern = { label: 'Alternate Mondays', cycle_weeks: 2, anchor_date: '2026-01-05', days: [MONDAY] };
const CREATED: WorkingPatternEvent = { type: 'WorkingPatternCreated', data: PATTERN };
const ARCHIVED: WorkingPatternEvent = { type: 'WorkingPatternArchived', data: {} };

function when(command: WorkingPatternCommand, ...given: readonly WorkingPatternEvent[]) {
  return decideWorkingPattern(command, fold({ initial: initialWorkingPattern, evolve: evolveWorkingPattern }, given));
}

describe('a working pattern that is not there', () => {
  it('is created', () => {
    expect(when({ type: 'create', pattern: PATTERN })).toEqual({ events: [CREATED] });
  });

  it.each<[string, Partial<WorkingPattern>]>([
    ['label', { label: '' }],
    ['cycle_weeks', { cycle_weeks: 0 }],
    ['cycle_weeks', { cycle_weeks: 9 }],
    ['cycle_weeks', { cycle_weeks: 1.5 }],
    ['anchor_date', { anchor_date: '2026-02-30' }],
    ['days', { days: [{ ...MONDAY, week: 3 }] }],
    ['days', { days: [{ ...MONDAY, weekday: 0 }] }],
    ['days', { days: [{ ...MONDAY, weekday: 8 }] }],
    ['days', { days: [{ ...MONDAY, morning_minutes: -1 }] }],
    ['days', { days: [{ ...MONDAY, morning_minutes: 1_440 }] }],
    ['days', { days: [MONDAY, MONDAY] }],
  ])('is refused for its %s: %j', (field, fields) => {
    const decision = when({ type: 'create', pattern: { ...PATTERN, ...fields } });
    expect(decision).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field }] } });
  });

  it('cannot be archived', () => {
    expect(when({ type: 'archive' })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('a working pattern', () => {
  it('has the mean of its weeks as weekly minutes', () => {
    expect(weeklyMinutes(PATTERN)).toBe(225);
  });

  it('is not created again', () => {
    expect(when({ type: 'create', pattern: PATTERN }, CREATED)).toMatchObject({ rejection: { kind: 'conflict' } });
  });

  it('is archived once', () => {
    expect(when({ type: 'archive' }, CREATED)).toEqual({ events: [ARCHIVED] });
    expect(when({ type: 'archive' }, CREATED, ARCHIVED)).toEqual({ events: [] });
  });
});
