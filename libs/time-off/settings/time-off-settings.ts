import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import type { TimeZoneVersion } from '#organisation/organisation/time-zones.js';
import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import type { Executor } from '#projections/projection.js';
import { type RuleVersion, versionsOf } from '#projections/rule-versions.js';
import type { HolidayCalendar } from './holiday-calendar.rules.js';
import {
  DEFAULT_TIME_OFF_SETTINGS,
  settingsProblem,
  TIME_OFF_SETTINGS,
  type TimeOffSettings,
} from './time-off-settings.rules.js';

// These names and fields are the storage format: add new ones, never rename or remove.
/**
 * The first event of a stream names the settings that differ from the defaults at that time, and contains
 * those as `defaults`.
 */
export type TimeOffSettingsEvent = DomainEvent<
  'TimeOffSettingsChanged',
  { changes: Partial<TimeOffSettings>; defaults?: TimeOffSettings }
>;

export type TimeOffSettingsState = { readonly status: 'untouched' | 'set'; readonly settings: TimeOffSettings };

export const initialTimeOffSettings: TimeOffSettingsState = {
  status: 'untouched',
  settings: DEFAULT_TIME_OFF_SETTINGS,
};

/** The state with one more event. */
export function evolveTimeOffSettings(state: TimeOffSettingsState, event: TimeOffSettingsEvent): TimeOffSettingsState {
  const { changes, defaults } = event.data;
  return { status: 'set', settings: { ...(defaults ?? state.settings), ...changes } };
}

export type TimeOffSettingsCommand = {
  readonly type: 'change';
  readonly changes: Partial<TimeOffSettings>;
  /**
   * Whether there are holidays for the named region. The caller looks it up, because the data of all
   * countries take long to load.
   */
  readonly isRegionKnown: boolean;
};

/** The events of a command, or the reason for its refusal. A command without a change records nothing. */
export function decideTimeOffSettings(
  { changes: named, isRegionKnown }: TimeOffSettingsCommand,
  state: TimeOffSettingsState,
): Decision<TimeOffSettingsEvent> {
  const rejection = settingsProblem(named, isRegionKnown);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named, state.settings);
  if (changes === null) return accept();
  return accept({
    type: 'TimeOffSettingsChanged',
    data: state.status === 'untouched' ? { changes, defaults: state.settings } : { changes },
  });
}

export const timeOffSettingsAggregate = defineAggregate({
  category: 'time-off-settings',
  initial: initialTimeOffSettings,
  evolve: evolveTimeOffSettings,
  publishedAs: { TimeOffSettingsChanged: ['time_off_settings.updated'] },
  publishedOf: 'organisation',
});

/**
 * The read table of time-off settings: one row for each organisation that set any. `versions`: the settings
 * over time, see `libs/projections/rule-versions.ts`.
 */
export const TIME_OFF_SETTINGS_SCHEMA = `
create table time_off_settings (
  organisation_id text collate "C" primary key,
  revision bigint not null,
  leave_year_start text not null,
  accrual_method text not null,
  accrual_rounding_minutes integer not null,
  carry_over_max_minutes integer not null,
  carry_over_expires_after_days integer,
  pending_counts boolean not null,
  holiday_region text,
  versions jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
`;

/** The stream of an organisation's settings: `time-off-settings-{organisation}.settings`. */
export const SETTINGS_ENTITY = 'settings';

const KEYS: RowKeys = {
  primaryKey: ['organisation_id'],
  others: [],
  values: (organisationId) => ({ organisation_id: organisationId }),
  streamKey: `organisation_id || '.${SETTINGS_ENTITY}'`,
};

/** The aggregate with the part of its state that is versioned: the settings. */
export const SETTINGS_VERSIONS = {
  ...timeOffSettingsAggregate,
  rules: (state: TimeOffSettingsState) => (state.status === 'untouched' ? null : state.settings),
};

/** Current time-off settings. */
export const timeOffSettingsProjection = oneRowProjection(timeOffSettingsAggregate, {
  table: 'time_off_settings',
  keys: KEYS,
  columns: [...Object.keys(TIME_OFF_SETTINGS.columns), 'versions'],
  lists: ['versions'],
  row: (state, stream) => ({ ...state.settings, versions: versionsOf(SETTINGS_VERSIONS, stream) }),
});

/** An organisation's time-off settings: its own values, and the defaults for the rest. */
export interface TimeOffSettingsRow extends TimeOffSettings, HolidayCalendar {
  /** The region that the organisation set, otherwise its country. */
  readonly holiday_region: string;
  /** The region that the organisation set; null if it uses its country. */
  readonly own_holiday_region: string | null;
  /** The organisation's country, ISO 3166-1 alpha-2. */
  readonly country_code: string;
  /** The organisation's time zone, an IANA name; it determines the current day. */
  readonly time_zone: string;
  /** The time zones that the organisation has had, oldest first. */
  readonly time_zones: readonly TimeZoneVersion[];
  /**
   * The time at which the first person was recorded; null before. Settings recorded earlier apply to all
   * days.
   */
  readonly first_person_at: Date | null;
  /** The revision of the settings' stream; null if no setting was ever changed. */
  readonly revision: number | null;
  /**
   * The recorded versions, oldest first; empty if no setting was ever changed. `versionsInUse` determines the
   * version of each day.
   */
  readonly versions: readonly RuleVersion<TimeOffSettings>[];
  /** The time of the last change; if there was none, the time at which the organisation was created. */
  readonly updated_at: Date;
}

/** The columns that are read of an organisation; those of settings are null if it never changed one. */
export type StoredTimeOffSettings = Omit<TimeOffSettings, 'holiday_region'> &
  Pick<
    TimeOffSettingsRow,
    | 'own_holiday_region'
    | 'country_code'
    | 'public_holidays_only'
    | 'time_zone'
    | 'time_zones'
    | 'first_person_at'
    | 'updated_at'
  > & {
    readonly own_holidays: HolidayCalendar['own_holidays'] | null;
    readonly revision: number | null;
    readonly versions: readonly RuleVersion<TimeOffSettings>[] | null;
  };

/** SQL for the settings of the organisation `$1`. */
export const TIME_OFF_SETTINGS_OF = `select s.revision, s.leave_year_start, s.accrual_method,
  s.accrual_rounding_minutes, s.carry_over_max_minutes,
    s.carry_over_expires_after_days, s.pending_counts, s.holiday_region as own_holiday_region, s.versions,
    o.country_code, o.time_zone,
    o.time_zones, o.public_holidays_only,
    (select h.days from public_holiday_calendars h where h.organisation_id = o.id) as own_holidays,
    (select p.created_at from people p where p.organisation_id = o.id and p.identity_revision is not null
    order by p.created_at limit 1) as first_person_at,
    coalesce(s.updated_at, o.created_at) as updated_at
  from organisations o left join time_off_settings s on s.organisation_id = o.id
  where o.id = $1`;

/**
 * The organisation's settings, with defaults for those that it never set. Throws if the organisation does
 * not exist.
 */
export async function readTimeOffSettings(executor: Executor, organisationId: string): Promise<TimeOffSettingsRow> {
  const { rows } = await executor.query<StoredTimeOffSettings>({
    name: 'read-time-off-settings',
    text: TIME_OFF_SETTINGS_OF,
    values: [organisationId],
  });
  const stored = rows[0];
  if (stored === undefined) throw new Error(`organisation ${organisationId} does not exist`);
  return settingsOf(stored);
}

/**
 * The settings of a row of {@link TIME_OFF_SETTINGS_OF}: with defaults for settings that were never changed.
 */
export function settingsOf(stored: StoredTimeOffSettings): TimeOffSettingsRow {
  const settings = stored.revision === null ? { ...stored, ...DEFAULT_TIME_OFF_SETTINGS } : stored;
  return {
    ...settings,
    holiday_region: stored.own_holiday_region ?? stored.country_code,
    versions: stored.versions ?? [],
    own_holidays: stored.own_holidays ?? [],
  };
}

/**
 * The holiday region of each organisation, by its id: the region that it set, otherwise its country.
 */
export async function listHolidayRegions(executor: Executor): Promise<ReadonlyMap<string, string>> {
  const { rows } = await executor.query<{ id: string; region: string }>(
    `select o.id, coalesce(s.holiday_region, o.country_code) as region from organisations o left
      join time_off_settings s on s.organisation_id = o.id`,
  );
  return new Map(rows.map(({ id, region }) => [id, region]));
}

/**
 * The entity tag of an organisation's settings. It includes the region, which changes with the organisation's
 * country if no region was set.
 */
export function timeOffSettingsTag({
  revision,
  holiday_region: region,
}: Pick<TimeOffSettingsRow, 'revision' | 'holiday_region'>): string {
  return `s${revision === null ? 0 : revision + 1}.${region}`;
}
