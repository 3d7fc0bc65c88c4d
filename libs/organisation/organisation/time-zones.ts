import { dateIn, type LocalDate } from '#kernel/dates.js';
import type { RuleVersion } from '#projections/rule-versions.js';

/** A time zone of an organisation, with the time since which it applies; `time_zone` is an IANA name. */
export type TimeZoneVersion = RuleVersion<{ readonly time_zone: string }>;

/**
 * The date of a past time in the organisation's time zone at that time, so that a change of time zone changes
 * no past date. The first zone also applies to earlier times.
 *
 * @param zones - oldest first, not empty
 * @param time - ISO 8601
 */
export function dateInZoneAt(zones: readonly TimeZoneVersion[], time: string): LocalDate {
  const instant = new Date(time);
  const zone =
    zones.length === 1
      ? zones[0]!
      : (zones.findLast(({ recorded_at: since }) => new Date(since) <= instant) ?? zones[0]!);
  return dateIn(zone.time_zone, instant);
}
