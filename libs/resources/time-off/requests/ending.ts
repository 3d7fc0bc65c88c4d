import { randomUUID } from 'node:crypto';
import type { CommandContext } from '#commands/command-context.js';
import type { CommandResult } from '#commands/handle-command.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn, EARLIEST_DATE, LATEST_DATE } from '#kernel/dates.js';
import { projectStreams } from '#projections/catch-up.js';
import type { WritingServices } from '#commands/execute.js';
import { timeOffCategoryTable } from '../category/time-off-category.table.js';
import { type EmploymentDays, readEmploymentDays } from './employment-days.js';
import { type Cut, decideTimeOff, isOpen, type TimeOffCalendar, type TimeOffRecord } from '../records/time-off.decider.js';
import { cutTo } from '../records/time-off.rules.js';
import { countEntry, recordTimeOff } from './time-off.writer.js';
import { employmentAggregate } from '../../people/employment/employment.decider.js';

/**
 * Removes a person's open time off from days on which they are not employed, after a final day or before the first one. A record that lies
 * there completely is cancelled; a record across the border is cut and counted again. This includes past days, and a later rehire or
 * correction restores nothing. Safe to repeat: a second call records nothing.
 *
 * The employment is read for each attempt: if time off is recorded in the meantime, the append is refused, and the command is decided again
 * with the employment as it is then.
 */
export function endTimeOff(services: WritingServices, context: CommandContext, personId: string): Promise<CommandResult<TimeOffCalendar>> {
  const { organisationId } = context;
  return recordTimeOff(services, context, { personId, usesUp: null }, async (calendar) => {
    const open = [...calendar.records.values()].filter(isOpen);
    const employment = open.length === 0 ? null : await readEmployment(services, { organisationId, personId }, open);
    if (employment === null) return { events: [] };
    const cuts = await Promise.all(open.map((record) => cutOf(services, organisationId, record, employment)));
    return decideTimeOff({ type: 'cut', cuts: cuts.filter((cut) => cut !== null) }, calendar);
  });
}

/** A first day removes time off only where a request named it; one derived from the first dated change does not. */
async function readEmployment(
  { executor }: WritingServices,
  person: { readonly organisationId: string; readonly personId: string },
  records: readonly TimeOffRecord[],
): Promise<EmploymentDays | null> {
  const employment = (await readEmploymentDays(executor, person, EARLIEST_DATE, LATEST_DATE))?.employment ?? null;
  if (employment === null || !records.some((record) => employment.beginsAfter(record.start_date))) return employment;
  const { rowCount } = await executor.query({
    name: 'start-that-nobody-named',
    text: `select ${unnamedStart('$1', '$2')}`,
    values: [person.organisationId, person.personId],
  });
  return rowCount === 0 ? employment : employment.withoutBeginning();
}

/** SQL for the fact that began a person's employment, where it has no date and no correction has set one. */
function unnamedStart(organisationId: string, personId: string): string {
  return `from employment_facts s where s.organisation_id = ${organisationId} and s.person_id = ${personId} and s.revision = 0 and s.effective_from is null and s.corrected_by is null`;
}

async function cutOf(
  services: WritingServices,
  organisationId: string,
  record: TimeOffRecord,
  employment: EmploymentDays,
): Promise<Cut | null> {
  const left = employment.employedWithin(record);
  if (left !== null && left.first === record.start_date && left.last === record.end_date) return null;
  const because = employment.beginsAfter(record.start_date) ? 'employment_starts_later' : 'employment_ended';
  if (left === null) return { timeOffId: record.id, entry: null, because };
  const category = await timeOffCategoryTable.find(services.executor, organisationId, record.category_id);
  const counted = await countEntry(services, organisationId, cutTo(record, left), { category: category!, employment });
  const { is_standard, requires_approval } = record;
  const entry = counted.days.some((day) => day.counted) ? { ...counted, is_standard, requires_approval } : null;
  return { timeOffId: record.id, entry, because };
}

/** A command that has recorded time off according to the employment that it had read. */
export interface CountedBy {
  readonly personId: string;
  /** The revision of the employment that it used. */
  readonly employmentRevision: number | null;
  /** Whether this attempt has recorded it; false where an earlier one had. */
  readonly isNew: boolean;
}

/**
 * Takes back time off that a command has just recorded on days that another command has removed from the employment in the meantime. A
 * command that ends an employment reads the calendar afterwards; a command that records time off reads the employment afterwards: whichever
 * is second sees the other. Null where there was nothing to take back.
 */
export async function settleTimeOff(
  services: WritingServices,
  context: CommandContext,
  counted: CountedBy,
): Promise<CommandResult<TimeOffCalendar> | null> {
  const { organisationId } = context;
  const stream = employmentAggregate.streamOf(organisationId, counted.personId);
  const [last] = await services.store.readStream(stream, { direction: 'backwards', limit: 1 });
  if (counted.isNew && (last?.revision ?? null) === counted.employmentRevision) return null;
  // The process that recorded it may not have projected it yet.
  await projectStreams({ eventStore: services.store, projector: services.projector }, services.executor, [stream]);
  const ended = await endTimeOff(
    services,
    { ...context, idempotencyKey: null, fingerprint: null, seed: [...context.seed, 'ending', randomUUID()] },
    counted.personId,
  );
  return ended.outcome === 'appended' ? ended : null;
}

/** The dependencies of repairing the time off of leavers. */
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
 * Ends the time off of all people on days without employment, which a crash or an import left behind. Records it once for each, however
 * many processes run it. Returns the number of people.
 */
export async function endTimeOffOfLeavers(parts: LeaverParts): Promise<number> {
  let ended = 0;
  let last: Leaver | null = null;
  for (;;) {
    const leavers: readonly Leaver[] = await findLeavers(parts, last);
    for (const leaver of leavers)
      if ((await endTimeOff(parts, contextOf(parts, leaver), leaver.person_id)).outcome === 'appended') ended += 1;
    if (leavers.length < PEOPLE_AT_ONCE) return ended;
    last = leavers.at(-1)!;
  }
}

/** Open records after a final day, and before a first day, which only a correction can have moved. */
const LEAVERS = `select distinct l.organisation_id, l.person_id, o.time_zone
  from (
    select b.organisation_id, b.person_id
      from employment_beliefs b
      join time_off t on t.organisation_id = b.organisation_id and t.person_id = b.person_id
     where upper_inf(b.known) and not b.employed and t.status_code in ('pending', 'approved')
       and t.end_date >= lower(b.valid) and daterange(t.start_date, t.end_date, '[]') && b.valid
    union all
    select m.organisation_id, m.person_id
      from (select distinct organisation_id, person_id from employment_facts where corrects is not null) m
     cross join lateral (
       select lower(b.valid) as first_day, b.employed from employment_beliefs b
        where b.organisation_id = m.organisation_id and b.person_id = m.person_id and upper_inf(b.known)
        order by b.valid limit 1
     ) b
      join time_off t on t.organisation_id = m.organisation_id and t.person_id = m.person_id
     where b.employed and t.status_code in ('pending', 'approved') and t.start_date < b.first_day
       and not exists (select ${unnamedStart('m.organisation_id', 'm.person_id')})
  ) l
  join organisations o on o.id = l.organisation_id
 where $1::text is null or (l.organisation_id, l.person_id) > ($1::text, $2::text)
 order by l.organisation_id, l.person_id limit $3`;

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
    // Never a repeat: the calendar itself determines what is still to be done.
    seed: ['time-off-ending', randomUUID()],
    today: dateIn(timeZone, clock.now()),
  };
}
