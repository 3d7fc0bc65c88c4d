import { randomUUID } from 'node:crypto';
import type { CommandContext } from '#event-store/command-context.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn, EARLIEST_DATE, LATEST_DATE } from '#kernel/dates.js';
import type { WritingServices } from '../aggregate/run-command.js';
import { findTimeOffCategory } from '../time-off-category/time-off-category.queries.js';
import { type EmploymentDays, readEmploymentDays } from './employment-days.js';
import { type Cut, decideTimeOff, isOpen, type TimeOffRecord } from './time-off.decider.js';
import { cutAfter } from './time-off.rules.js';
import { countEntry, recordTimeOff } from './time-off.writer.js';

/**
 * Takes a person's open time off away from the days behind a final day: what lies behind it is cancelled, what straddles
 * it is cut and counted anew. Past days too; and a later rehire or correction gives nothing back. Safe to repeat: once it
 * is done, it records nothing. Gives whether it recorded something.
 */
export async function endTimeOff(services: WritingServices, context: CommandContext, personId: string): Promise<boolean> {
  const { organisationId } = context;
  const person = await readEmploymentDays(services.executor, { organisationId, personId }, EARLIEST_DATE, LATEST_DATE);
  if (person === null || !person.employment.hasEnd()) return false;
  const result = await recordTimeOff(services, context, { personId, usesUp: null }, async (calendar) => {
    const open = [...calendar.records.values()].filter(isOpen);
    const cuts = await Promise.all(open.map((record) => cutOf(services, organisationId, record, person.employment)));
    return decideTimeOff({ type: 'cut', cuts: cuts.filter((cut) => cut !== null) }, calendar);
  });
  return result.outcome === 'appended';
}

async function cutOf(services: WritingServices, organisationId: string, record: TimeOffRecord, employment: EmploymentDays): Promise<Cut | null> {
  const lastDay = employment.endWithin(record);
  if (lastDay === null) return null;
  if (lastDay < record.start_date) return { timeOffId: record.id, entry: null };
  const category = await findTimeOffCategory(services.executor, organisationId, record.category_id);
  const counted = await countEntry(services, organisationId, cutAfter(record, lastDay), { category: category!, employment });
  const { is_standard, requires_approval } = record;
  const entry = counted.days.some((day) => day.counted) ? { ...counted, is_standard, requires_approval } : null;
  return { timeOffId: record.id, entry };
}

/** What repairing the time off of leavers stands on. */
export interface LeaverParts extends WritingServices {
  readonly clock: Clock;
}

interface Leaver {
  readonly organisation_id: string;
  readonly person_id: string;
  readonly time_zone: string;
}

const PEOPLE_AT_ONCE = 500;

/**
 * Ends the time off of everybody whom a final day was recorded for without it: after a crash between the two, by an
 * import, or where a request was counted while the end was recorded. Once for each, however many processes look. Gives the
 * number of people.
 */
export async function endTimeOffOfLeavers(parts: LeaverParts): Promise<number> {
  let ended = 0;
  let last: Leaver | null = null;
  for (;;) {
    const leavers: readonly Leaver[] = await findLeavers(parts, last);
    for (const leaver of leavers) if (await endTimeOff(parts, contextOf(parts, leaver), leaver.person_id)) ended += 1;
    if (leavers.length < PEOPLE_AT_ONCE) return ended;
    last = leavers.at(-1)!;
  }
}

const LEAVERS = `select distinct b.organisation_id, b.person_id, o.time_zone
  from employment_beliefs b
  join time_off t on t.organisation_id = b.organisation_id and t.person_id = b.person_id
  join organisations o on o.id = b.organisation_id
 where upper_inf(b.known) and not b.employed and t.status_code in ('pending', 'approved')
   and t.end_date >= lower(b.valid) and daterange(t.start_date, t.end_date, '[]') && b.valid
   and ($1::text is null or (b.organisation_id, b.person_id) > ($1::text, $2::text))
 order by b.organisation_id, b.person_id limit $3`;

async function findLeavers(parts: LeaverParts, after: Leaver | null): Promise<readonly Leaver[]> {
  const values = [after?.organisation_id ?? null, after?.person_id ?? null, PEOPLE_AT_ONCE];
  const { rows } = await parts.executor.query<Leaver>({ name: 'leavers-with-time-off', text: LEAVERS, values });
  return rows;
}

function contextOf({ clock }: LeaverParts, { organisation_id: organisationId, time_zone: timeZone }: Leaver): CommandContext {
  return {
    organisationId,
    actor: { type: 'system', id: 'time-off-ending' },
    requestId: null,
    idempotencyKey: null,
    fingerprint: null,
    // Never a repeat: the calendar itself tells what is still to be done.
    seed: ['time-off-ending', randomUUID()],
    today: dateIn(timeZone, clock.now()),
  };
}
