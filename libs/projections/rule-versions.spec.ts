import type { RecordedEvent } from '#event-store/event-store.js';
import { dateIn } from '#kernel/dates.js';
import { versionOn, versionsInUse, versionsOf } from './rule-versions.js';

const DEFINITION = {
  initial: null,
  evolve: (_: { minutes: number } | null, event: { type: string; data: { minutes: number } }) => event.data,
  rules: (state: { minutes: number } | null) => state,
};

function recorded(minutes: number, recordedAt: string): RecordedEvent {
  return { type: 'Set', data: { minutes }, recordedAt } as unknown as RecordedEvent;
}

describe('versions of rules', () => {
  it('derive from events that change them, oldest first', () => {
    const stream = [
      recorded(1, '2026-01-01T10:00:00.000Z'),
      recorded(1, '2026-01-02T10:00:00.000Z'),
      recorded(2, '2026-01-03T10:00:00.000Z'),
      recorded(1, '2026-01-04T10:00:00.000Z'),
    ];
    expect(versionsOf(DEFINITION, stream)).toEqual([
      { minutes: 1, recorded_at: '2026-01-01T10:00:00.000Z' },
      { minutes: 2, recorded_at: '2026-01-03T10:00:00.000Z' },
      { minutes: 1, recorded_at: '2026-01-04T10:00:00.000Z' },
    ]);
  });

  it.each([
    ['2025-12-31', 'UTC', 1],
    ['2026-01-10', 'UTC', 1],
    ['2026-01-11', 'UTC', 3],
    ['2026-01-12', 'UTC', 3],
    ['2026-01-11', 'Asia/Tokyo', 2],
    ['2026-01-12', 'Asia/Tokyo', 3],
  ])('in force on %s in %s is the last of that day, and the first for earlier days', (day, timeZone, minutes) => {
    const versions = [
      { minutes: 1, recorded_at: '2026-01-05T12:00:00.000Z' },
      { minutes: 2, recorded_at: '2026-01-11T01:00:00.000Z' },
      { minutes: 3, recorded_at: '2026-01-11T23:00:00.000Z' },
    ];
    const dateOf = (time: string): string => dateIn(timeZone, new Date(time));
    expect(versionOn(versions, day, dateOf)).toMatchObject({ minutes });
    expect(versionOn([], day, dateOf)).toBeNull();
  });
});

describe('versions of rules with defaults', () => {
  const versions = [
    { minutes: 1, recorded_at: '2026-01-05T12:00:00.000Z' },
    { minutes: 2, recorded_at: '2026-01-11T12:00:00.000Z' },
  ];

  it.each<[string, string | null, number, readonly number[]]>([
    ['the defaults, where they were in use before the first version', '2026-01-05T11:59:59.999Z', 0, [1, 2]],
    ['the first version, where nothing went by the defaults', '2026-01-05T12:00:00.000Z', 1, [2]],
    ['the last version of those before anything went by them', '2026-02-01T00:00:00.000Z', 2, []],
    ['the last version, where nothing goes by them yet', null, 2, []],
  ])('begin with %s', (_, inUseSince, opening, later) => {
    const divided = versionsInUse(versions, { minutes: 0 }, inUseSince === null ? null : new Date(inUseSince));
    expect([divided.opening.minutes, divided.later.map(({ minutes }) => minutes)]).toEqual([opening, later]);
  });

  it('are the defaults alone if no rule was ever set', () => {
    expect(versionsInUse([], { minutes: 0 }, new Date(0))).toEqual({ opening: { minutes: 0 }, later: [] });
  });
});
