import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { CommandResult } from '#commands/handle-command.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { readState } from '#commands/execute.js';
import { CLOCK } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import type { WritingServices } from '#commands/services.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import { timeOffCategoryTable } from '../category/time-off-category.js';
import { type EmploymentDays, employmentOfFacts } from './employment-days.js';
import { type Cut, decideTimeOff, isOpen, type TimeOffCalendar, type TimeOffRecord } from '../records/time-off.js';
import { cutTo } from '../records/time-off.rules.js';
import { countEntry, recordTimeOff } from './record-time-off.js';
import { employmentAggregate } from '#people/employment/employment.js';
import { type Fact, superseders } from '#people/employment/timeline.js';

/**
 * Stages the removal of a person's open time off from days on which they are not employed, after a final day
 * or before the first one. A record outside of the employment is cancelled; a record that is partly outside
 * is shortened and counted again. This includes past days, and a later rehire or correction restores nothing.
 * Safe to repeat: a second call records nothing.
 *
 * Locks the employment: a concurrent request for time off is either recorded before, and shortened, or
 * decided on the employment after the command.
 *
 * @param facts - of the person's employment, including those that the unit of work records
 */
export async function endTimeOff(
  services: WritingServices,
  context: UnitContext,
  personId: string,
  facts: readonly Fact[],
): Promise<CommandResult<TimeOffCalendar>> {
  const { organisationId } = context;
  await context.unit.hold({ exclusive: [employmentAggregate.streamOf(organisationId, personId)] });
  return recordTimeOff(services, context, { personId, usesUp: null }, async (calendar) => {
    const open = [...calendar.records.values()].filter(isOpen);
    if (open.length === 0) return { events: [] };
    const employment = await employmentSince(services, organisationId, facts);
    const cuts = await Promise.all(open.map((record) => cutOf(services, organisationId, record, employment)));
    return decideTimeOff({ type: 'cut', cuts: cuts.filter((cut) => cut !== null) }, calendar);
  });
}

/**
 * A first day removes time off only if a request named it; a first day derived from the first dated change
 * does not.
 */
async function employmentSince(
  { executor }: WritingServices,
  organisationId: string,
  facts: readonly Fact[],
): Promise<EmploymentDays> {
  const employment = await employmentOfFacts(executor, organisationId, facts);
  const [first] = facts;
  const isUnnamed = first?.date === null && !superseders(facts).has(first.factId);
  return isUnnamed ? employment.withoutBeginning() : employment;
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
 * Removes time off that a crash or an import left on days without employment, for all people. Records each
 * removal once, for any number of concurrent processes. Returns the number of people.
 */
export async function endTimeOffOfLeavers(parts: LeaverParts): Promise<number> {
  let ended = 0;
  let last: Leaver | null = null;
  for (;;) {
    const leavers: readonly Leaver[] = await findLeavers(parts, last);
    for (const leaver of leavers) if (await endTimeOffOf(parts, leaver)) ended += 1;
    if (leavers.length < PEOPLE_AT_ONCE) return ended;
    last = leavers.at(-1)!;
  }
}

/** Returns whether an event was recorded. */
function endTimeOffOf(parts: LeaverParts, leaver: Leaver): Promise<boolean> {
  const { organisation_id: organisationId, person_id: personId } = leaver;
  return commit(parts, contextOf(parts, leaver), async (within) => {
    const { facts } = await readState(parts.store, employmentAggregate, organisationId, personId);
    const { outcome } = await endTimeOff(parts, within, personId, facts);
    return () => outcome === 'appended';
  });
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
       and not exists (
         select from employment_facts s
          where s.organisation_id = m.organisation_id and s.person_id = m.person_id and s.revision = 0
            and s.effective_from is null
            and s.corrected_by is null)
  ) l
  join organisations o on o.id = l.organisation_id
 where $1::text is null or (l.organisation_id, l.person_id) > ($1::text, $2::text)
 order by l.organisation_id, l.person_id limit $3`;

async function findLeavers(parts: LeaverParts, after: Leaver | null): Promise<readonly Leaver[]> {
  const values = [after?.organisation_id ?? null, after?.person_id ?? null, PEOPLE_AT_ONCE];
  const { rows } = await parts.executor.query<Leaver>({ name: 'leavers-with-time-off', text: LEAVERS, values });
  return rows;
}

function contextOf(
  { clock }: LeaverParts,
  { organisation_id: organisationId, time_zone: timeZone }: Leaver,
): CommandContext {
  return {
    organisationId,
    actor: { type: 'system', id: 'time-off-ending' },
    requestId: null,
    idempotencyKey: null,
    fingerprint: null,
    // Never a repeat: the calendar itself determines the remaining work.
    seed: ['time-off-ending', randomUUID()],
    today: dateIn(timeZone, clock.now()),
  };
}

/**
 * Ends time off on days without employment, in all organisations, see {@link endTimeOffOfLeavers}. The result
 * is the number of people.
 */
export class EndTimeOffOfLeavers extends Command<number> {}

@CommandHandler(EndTimeOffOfLeavers)
export class EndTimeOffOfLeaversHandler implements ICommandHandler<EndTimeOffOfLeavers> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute(): Promise<number> {
    const { store, executor, projector } = this.services;
    return endTimeOffOfLeavers({ store, executor, projector, clock: this.clock });
  }
}
