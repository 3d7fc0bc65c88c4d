import type { Pool } from 'pg';
import { RecordEffectiveDates } from '#people/timeline/record-effective-dates.js';
import { nameKey } from '#kernel/names.js';
import { ChangeOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { SetUpOrganisation } from '#composition/set-up.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { addDays, dateIn } from '#kernel/dates.js';
import { calendarFrom, type Calendar, instantOn } from './calendar.js';
import { type DemoPeopleSettings, generateDemoPeople } from './demo-people.js';
import type { DemoPerson } from './demo-person.js';
import { type Life, lifeSteps, personIdsOf } from './life-steps.js';
import { atMoment } from './recorded-at.js';
import { seedContexts } from './seed-context.js';
import { limitOverdrafts, MADE_UP_SETTINGS, seedHeads, seedMappings, type Settings } from './seed-settings.js';
import type { Seeding } from './seeding.js';
import { type StepContext, type Step, runSteps } from './steps.js';

/** The moment at which an organisation that begins on this day is created: ISO 8601 in UTC. */
export function createdAtOf(firstDay: string): string {
  return `${firstDay}T08:00:00.000Z`;
}

/**
 * Fills an organisation with settings, people, and five years of history, which is recorded as of those
 * years. Done twice, also on a later day, it adds what is missing and nothing twice: the day on which the
 * organisation was created decides about all days.
 */
export async function seedOrganisation(
  seeding: Seeding,
  organisation: OrganisationRow,
  people: DemoPeopleSettings,
  furtherSteps: (calendar: Calendar) => readonly Step[] = () => [],
): Promise<void> {
  const calendar = calendarFrom(dateIn(organisation.time_zone, organisation.created_at));
  const contextAt = benches(seeding, organisation);
  const demoPeople = generateDemoPeople(people, calendar);
  const start = contextAt(instantOn(calendar, calendar.firstDay, -30));
  const settings = await start.send(new SetUpOrganisation(start.contextOf('dictionaries'), MADE_UP_SETTINGS));
  const personIds = personIdsOf(seeding.mint, start.contextOf, demoPeople);
  const lives = demoPeople.map((demoPerson, number): Life => ({
    demoPerson,
    number,
    personIds,
    settings,
    calendar,
    seed: people.seed,
  }));
  const steps = [
    ...lives.flatMap(lifeSteps),
    ...organisationSteps(calendar, settings, personIds),
    ...effectSteps(demoPeople, calendar, organisation.id),
    ...furtherSteps(calendar),
  ];
  await runSteps(steps, contextAt);
}

function benches(seeding: Seeding, organisation: OrganisationRow): (instant: string) => StepContext {
  return (instant) => ({
    ...seeding,
    send: (command) => atMoment(instant, () => seeding.send(command)),
    contextOf: seedContexts(organisation.id, dateIn(organisation.time_zone, new Date(instant))),
  });
}

const RENAMED_DAYS_AGO = 410;

/**
 * What happens to the organisation: heads of units, a department that gets another name, mappings, and at
 * last a limit of overdrafts.
 */
function organisationSteps(calendar: Calendar, settings: Settings, personIds: readonly string[]): readonly Step[] {
  const { today, firstDay } = calendar;
  const yesterday = addDays(today, -1);
  return [
    {
      at: instantOn(calendar, firstDay, 470),
      who: null,
      run: (stepContext) => seedHeads(stepContext, stepContext.contextOf('heads'), settings, personIds),
    },
    {
      at: instantOn(calendar, addDays(today, -RENAMED_DAYS_AGO), 60),
      who: null,
      run: async ({ send, contextOf }) => {
        const unit = settings.departments.get(nameKey('Customer Success'))!;
        const change = { type: 'change', changes: { name: 'Customer Experience' } } as const;
        await send(new ChangeOrgUnit(contextOf('renamed'), unit, change, null));
      },
    },
    {
      at: instantOn(calendar, yesterday, 475),
      who: null,
      run: async (stepContext) => {
        await seedMappings(stepContext, stepContext.contextOf('mappings'), settings);
        await limitOverdrafts(stepContext, stepContext.contextOf('overdrafts'), settings);
      },
    },
  ];
}

/**
 * On each day on which something takes effect that was recorded before, the effective-date job runs as it
 * would have.
 */
function effectSteps(
  people: readonly DemoPerson[],
  { today, firstDay }: Calendar,
  organisationId: string,
): readonly Step[] {
  const days = new Set<string>();
  for (const { startDate, hiredAt, facts } of people) {
    const effects = facts.map(({ type, date, recordedAt: at }) => ({
      day: type === 'end' ? addDays(date, 1) : date,
      at,
    }));
    for (const { day, at } of [{ day: startDate, at: hiredAt }, ...effects]) {
      if (day > at.slice(0, 10) && day > firstDay && day < today) days.add(day);
    }
  }
  return [...days].map((day) => {
    const at = `${day}T00:01:00.000Z`;
    return {
      at,
      who: null,
      run: async ({ pool, send }) => {
        if (!(await isPast(pool, organisationId, at))) await send(new RecordEffectiveDates(organisationId));
      },
    };
  });
}

/**
 * Whether an interrupted run had come further: for the job, the day of such a step would then be one that has
 * not come.
 */
async function isPast(pool: Pool, organisationId: string, instant: string): Promise<boolean> {
  const { rows } = await pool.query(
    'select from employment_facts where organisation_id = $1 and recorded_at > $2 limit 1',
    [organisationId, instant],
  );
  return rows.length > 0;
}
