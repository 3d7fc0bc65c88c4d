import { fold } from '#kernel/aggregate.js';
import {
  decideTimeOffSettings,
  evolveTimeOffSettings,
  initialTimeOffSettings,
  type TimeOffSettingsEvent,
} from './time-off-settings.js';
import { DEFAULT_TIME_OFF_SETTINGS, TIME_OFF_SETTINGS, type TimeOffSettings } from './time-off-settings.rules.js';

const SET: TimeOffSettingsEvent = {
  type: 'TimeOffSettingsChanged',
  data: { changes: { leave_year_start: '04-06' }, defaults: DEFAULT_TIME_OFF_SETTINGS },
};

function given(...events: readonly TimeOffSettingsEvent[]) {
  return fold({ initial: initialTimeOffSettings, evolve: evolveTimeOffSettings }, events);
}

function when(changes: Partial<TimeOffSettings>, ...events: readonly TimeOffSettingsEvent[]) {
  return decideTimeOffSettings(
    { type: 'change', changes, isRegionKnown: changes.holiday_region === 'GB-ENG' },
    given(...events),
  );
}

describe('time-off settings that were never changed', () => {
  it('are the defaults', () => expect(given()).toEqual({ status: 'untouched', settings: DEFAULT_TIME_OFF_SETTINGS }));

  it('record nothing if the values are unchanged', () => {
    expect(when(DEFAULT_TIME_OFF_SETTINGS)).toEqual({ events: [] });
  });

  it('record the defaults of their day beside the first change, so that later defaults rewrite nothing', () => {
    expect(when({ leave_year_start: '04-06', pending_counts: true })).toEqual({ events: [SET] });
    const formerDefaults = { ...DEFAULT_TIME_OFF_SETTINGS, carry_over_max_minutes: 777 };
    const event: TimeOffSettingsEvent = {
      type: 'TimeOffSettingsChanged',
      data: { changes: { pending_counts: false }, defaults: formerDefaults },
    };
    expect(given(event).settings).toEqual({ ...formerDefaults, pending_counts: false });
  });
});

describe('time-off settings', () => {
  it('record what differs and nothing else', () => {
    expect(when({ leave_year_start: '04-06', accrual_method: 'monthly' }, SET)).toEqual({
      events: [{ type: 'TimeOffSettingsChanged', data: { changes: { accrual_method: 'monthly' } } }],
    });
    expect(when({ leave_year_start: '04-06' }, SET)).toEqual({ events: [] });
  });

  it.each<[keyof TimeOffSettings, unknown]>([
    ['leave_year_start', '02-29'],
    ['leave_year_start', '00-10'],
    ['leave_year_start', '06-31'],
    ['leave_year_start', ''],
    ['accrual_method', 'daily'],
    ['accrual_rounding_minutes', 0],
    ['accrual_rounding_minutes', 1.5],
    ['carry_over_max_minutes', 525_601],
    ['carry_over_expires_after_days', 0],
    ['pending_counts', null],
    ['holiday_region', 'gb'],
    ['holiday_region', 'XX'],
  ])('refuse %s: %j', (field, value) => {
    expect(when({ [field]: value })).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field }] } });
  });

  it.each<Partial<TimeOffSettings>>([
    { leave_year_start: '02-28' },
    { leave_year_start: '12-31' },
    { accrual_rounding_minutes: 1_440 },
    { carry_over_max_minutes: 525_600 },
    { carry_over_expires_after_days: 366 },
    { holiday_region: 'GB-ENG' },
  ])('take %j', (changes) => {
    expect(when(changes)).toHaveProperty('events.0.data.changes', changes);
  });
});

it('a region is taken in any case', () => {
  expect(TIME_OFF_SETTINGS.normalise({ holiday_region: ' gb-eng ' })).toEqual({ holiday_region: 'GB-ENG' });
  expect(TIME_OFF_SETTINGS.normalise({ holiday_region: null })).toEqual({ holiday_region: null });
  expect(TIME_OFF_SETTINGS.normalise({ pending_counts: true })).toEqual({ pending_counts: true });
});
