import type { Pool } from 'pg';
import type { CommandServices } from '#commands/services.js';
import { runEffectiveDateJobOfOrganisation } from '#resources/people/employment-api/effective-date-job.js';
import { nameKey } from '#resources/naming/name-key.js';
import { commandOrgUnit } from '#resources/organisation/org-unit/org-unit.commands.js';
import type { OrganisationRow } from '#resources/organisation/organisation/organisation.queries.js';
import { addDays, dateIn } from '#kernel/dates.js';
import { calendarFrom, type Calendar, momentOn } from './calendar.js';
import { type DemoPeopleSettings, generateDemoPeople } from './demo-people.js';
import type { DemoPerson } from './demo-person.js';
import { type Life, lifeSteps, personIdsOf } from './life-steps.js';
import { recordedAt } from './recorded-at.js';
import { seedContexts } from './seed-context.js';
import { limitOverdrafts, seedHeads, seedMappings, seedSettings, type Settings } from './seed-settings.js';
import { type Bench, type Step, takeSteps } from './steps.js';

/** The moment at which an organisation that begins on this day is created: ISO 8601 in UTC. */
export function creationMoment(firstDay: string): string {
  return `${firstDay}T08:00:00.000Z`;
}

/**
 * Fills an organisation with settings, people, and five years of history, which is recorded as of those years. Done twice, also on a later
 * day, it adds what is missing and nothing twice: the day on which the organisation was created decides about all days.
 */
export async function seedOrganisation(
  services: CommandServices,
  pool: Pool,
  organisation: OrganisationRow,
  people: DemoPeopleSettings,
  furtherSteps: (calendar: Calendar) => readonly Step[] = () => [],
): Promise<void> {
  const calendar = calendarFrom(dateIn(organisation.time_zone, organisation.created_at));
  const benchAt = benches(services, pool, organisation);
  const demoPeople = generateDemoPeople(people, calendar);
  const start = benchAt(momentOn(calendar, calendar.firstDay, -30));
  const settings = await seedSettings(start.services, start.contextOf('dictionaries'));
  const personIds = personIdsOf(services.mint, start.contextOf, demoPeople);
  const lives = demoPeople.map((demoPerson, number): Life => ({ demoPerson, number, personIds, settings, calendar, seed: people.seed }));
  const steps = [
    ...lives.flatMap(lifeSteps),
    ...organisationSteps(calendar, settings, personIds),
    ...effectSteps(demoPeople, calendar, pool, organisation.id),
    ...furtherSteps(calendar),
  ];
  await takeSteps(steps, benchAt);
}

function benches(services: CommandServices, pool: Pool, organisation: OrganisationRow): (moment: string) => Bench {
  return (moment) => ({
    services: { ...services, store: recordedAt(services.store, moment) },
    pool,
    contextOf: seedContexts(organisation.id, dateIn(organisation.time_zone, new Date(moment))),
  });
}

const RENAMED_DAYS_AGO = 410;

/** What happens to the organisation: heads of units, a department that gets another name, mappings, and at last a limit of overdrafts. */
function organisationSteps(calendar: Calendar, settings: Settings, personIds: readonly string[]): readonly Step[] {
  const { today, firstDay } = calendar;
  const yesterday = addDays(today, -1);
  return [
    {
      at: momentOn(calendar, firstDay, 470),
      who: null,
      run: ({ services, contextOf }) => seedHeads(services, contextOf('heads'), settings, personIds),
    },
    {
      at: momentOn(calendar, addDays(today, -RENAMED_DAYS_AGO), 60),
      who: null,
      run: async ({ services, contextOf }) => {
        const unit = settings.departments.get(nameKey('Customer Success'))!;
        await commandOrgUnit(services, contextOf('renamed'), unit, { type: 'change', changes: { name: 'Customer Experience' } });
      },
    },
    {
      at: momentOn(calendar, yesterday, 475),
      who: null,
      run: async ({ services, contextOf }) => {
        await seedMappings(services, contextOf('mappings'), settings);
        await limitOverdrafts(services, contextOf('overdrafts'), settings);
      },
    },
  ];
}

/** On each day on which something takes effect that was recorded before, the effective-date job runs as it would have. */
function effectSteps(people: readonly DemoPerson[], { today, firstDay }: Calendar, pool: Pool, organisationId: string): readonly Step[] {
  const days = new Set<string>();
  for (const { startDate, hiredAt, facts } of people) {
    const effects = facts.map(({ type, date, recordedAt: at }) => ({ day: type === 'end' ? addDays(date, 1) : date, at }));
    for (const { day, at } of [{ day: startDate, at: hiredAt }, ...effects]) {
      if (day > at.slice(0, 10) && day > firstDay && day < today) days.add(day);
    }
  }
  return [...days].map((day) => {
    const at = `${day}T00:01:00.000Z`;
    const clock = { now: () => new Date(at) };
    return {
      at,
      who: null,
      run: async ({ services: { store: eventStore, projector } }) => {
        if (await isPast(pool, organisationId, at)) return;
        await runEffectiveDateJobOfOrganisation({ pool, eventStore, projector, clock }, organisationId);
      },
    };
  });
}

/** Whether an interrupted run had come further: for the job, the day of such a step would then be one that has not come. */
async function isPast(pool: Pool, organisationId: string, moment: string): Promise<boolean> {
  const { rows } = await pool.query('select from employment_facts where organisation_id = $1 and recorded_at > $2 limit 1', [
    organisationId,
    moment,
  ]);
  return rows.length > 0;
}
