import type { Pool } from 'pg';
import { dateIn } from '#kernel/dates.js';
import type { CommandServices } from '#commands/execute.js';
import { nameKey } from '#resources/naming/name-key.js';
import type { OrganisationRow } from '#resources/organisation/organisation/organisation.queries.js';
import { type EmploymentRequest, PeopleWriter } from '#resources/people/people/people-writer.js';
import type { References } from '#resources/people/people/references.js';
import { generateAbsences } from './absences.js';
import { generateAdjustments } from './adjustments.js';
import { generateParticulars } from './particulars.js';
import { type ContextOf, seedContexts } from './seed-context.js';
import { seedParticulars } from './seed-particulars.js';
import { limitOverdrafts, seedHeads, seedMappings, seedSettings, type Settings } from './seed-settings.js';
import { patternOf } from './settings.js';
import { type DemoFact, FULL_TIME_MINUTES, type DemoPerson, generateDemoPeople } from './demo-people.js';

/** Which people an organisation is filled with. */
export interface DemoPeopleSettings {
  /** Of the made-up data: the same seed, the same people. */
  readonly seed: number;
  readonly count: number;
  /** Of their e-mail addresses. */
  readonly domain: string;
}

/** What was just made is neither unknown nor archived, and needs no look-up. */
const NO_REFERENCES: References = new Map();

/**
 * Fills an organisation with settings, people, several years of their history and further records of them. Done
 * twice, also on a later day, it adds what is missing and nothing twice: the history is that of the day on which the organisation was created.
 */
export async function seedOrganisation(
  services: CommandServices,
  pool: Pool,
  organisation: OrganisationRow,
  people: DemoPeopleSettings,
): Promise<void> {
  const writer = new PeopleWriter({ pool, eventStore: services.store, projector: services.projector, mint: services.mint });
  const today = dateIn(organisation.time_zone, organisation.created_at);
  const contextOf = seedContexts(organisation.id, today);
  const settings = await seedSettings(services, contextOf('dictionaries'));
  const demoPeople = generateDemoPeople(people.seed, people.count, people.domain, today);
  await seedMappings(services, contextOf('mappings'), settings);
  const personIds: string[] = [];
  for (const demoPerson of demoPeople) personIds.push(await seedPerson(writer, contextOf, demoPerson, settings, personIds));
  await seedHeads(services, contextOf('heads'), settings, personIds);
  await inParallel([...demoPeople.entries()], async ([number, demoPerson]) => {
    const particulars = generateParticulars({ seed: people.seed, number, demoPerson, today });
    const [absences, adjustments] = [generateAbsences({ number, demoPerson, today }), generateAdjustments(number, today)];
    const person = { personId: personIds[number]!, number, particulars, absences, adjustments };
    await seedParticulars({ services, settings, contextOf: (...seed) => contextOf(demoPerson.email, ...seed) }, person);
  });
  await limitOverdrafts(services, contextOf('overdrafts'), settings);
}

/** As many people at a time as keep both the program and the database at work. */
const WIDTH = 4;

/** Does the work for each item, some at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const workOn = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: WIDTH }, workOn));
}

async function seedPerson(
  writer: PeopleWriter,
  contextOf: ContextOf,
  demoPerson: DemoPerson,
  settings: Settings,
  personIds: readonly string[],
): Promise<string> {
  const identity = {
    work_email: demoPerson.email,
    first_name: demoPerson.firstName,
    preferred_name: demoPerson.preferredName,
    last_name: demoPerson.lastName,
    staff_id: demoPerson.staffId,
  };
  const terms = {
    job_title: demoPerson.title,
    department_id: settings.departments.get(nameKey(demoPerson.department))!,
    manager_id: demoPerson.manager === null ? null : personIds[demoPerson.manager]!,
    work_place_id: settings.workPlaces.get(nameKey(demoPerson.workPlace))!,
    work_type_id: settings.workTypes.get(nameKey(demoPerson.workType))!,
    working_pattern_id: patternIdOf(settings, demoPerson.minutes),
    contracted_weekly_minutes: demoPerson.minutes,
    full_time_weekly_minutes: FULL_TIME_MINUTES,
  };
  const personId = await writer.create(contextOf(demoPerson.email), { identity, startDate: demoPerson.startDate, terms }, NO_REFERENCES);
  for (const [index, fact] of demoPerson.facts.entries()) {
    const context = contextOf(demoPerson.email, String(index));
    await writer.recordFact(context, personId, requestOf(fact, context.today, settings, personIds), NO_REFERENCES, null);
  }
  return personId;
}

function requestOf(fact: DemoFact, today: string, settings: Settings, personIds: readonly string[]): EmploymentRequest {
  switch (fact.type) {
    case 'end':
      return { type: 'end', endDate: fact.date };
    case 'change': {
      const terms = {
        ...(fact.title === undefined ? {} : { job_title: fact.title }),
        ...(fact.minutes === undefined
          ? {}
          : { contracted_weekly_minutes: fact.minutes, working_pattern_id: patternIdOf(settings, fact.minutes) }),
      };
      return { type: 'change', startDate: fact.date, terms, today };
    }
    case 'reactivate': {
      const terms = {
        job_title: fact.title,
        department_id: settings.departments.get(nameKey(fact.department))!,
        manager_id: fact.manager === null ? null : personIds[fact.manager]!,
        working_pattern_id: patternIdOf(settings, FULL_TIME_MINUTES),
        contracted_weekly_minutes: FULL_TIME_MINUTES,
        full_time_weekly_minutes: FULL_TIME_MINUTES,
      };
      return { type: 'reactivate', startDate: fact.date, terms };
    }
  }
}

function patternIdOf({ workingPatterns }: Settings, weeklyMinutes: number): string {
  return workingPatterns.get(nameKey(patternOf(weeklyMinutes).label))!;
}
