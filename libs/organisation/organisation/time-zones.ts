import { dateIn, type LocalDate } from '#kernel/dates.js';
import type { RuleVersion } from '#projections/rule-versions.js';

/** A time zone that an organisation has had since a moment; `time_zone` is an IANA name. */
export type TimeZoneVersion = RuleVersion<{ readonly time_zone: string }>;

/**
 * The date at a past moment in the organisation's time zone of that moment, so that a move to another zone
 * changes no past date. Before the first zone, the first one counts.
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
