import type { Pool } from 'pg';
import type { CommandContext } from '#event-store/command-context.js';
import { dateIn } from '#kernel/dates.js';
import type { CommandServices } from '#resources/aggregate/run-command.js';
import { findOrCreateLocation } from '#resources/location/location.commands.js';
import { nameKey } from '#resources/naming/name-key.js';
import { findOrCreateOrgUnit } from '#resources/org-unit/org-unit.commands.js';
import type { OrganisationRow } from '#resources/organisation/organisation.queries.js';
import { type EmploymentRequest, PeopleWriter } from '#resources/people/people-writer.js';
import type { References } from '#resources/people/references.js';
import { WORK_PLACES as WORK_PLACE_COMMANDS } from '#resources/work-place/work-place.commands.js';
import { WORK_TYPES as WORK_TYPE_COMMANDS } from '#resources/work-type/work-type.commands.js';
import { findOrCreateWorkingPattern } from '#resources/working-pattern/working-pattern.commands.js';
import { LOCATIONS, patternOf, WORKING_PATTERNS } from './settings.js';
import { type Chapter, DIVISIONS, FULL_TIME_MINUTES, type Story, tellStories, WORK_PLACES, WORK_TYPES } from './story.js';

/** Which people an organisation is filled with. */
export interface Cast {
  /** Of the made-up data: the same seed, the same people. */
  readonly seed: number;
  readonly count: number;
  /** Of their e-mail addresses. */
  readonly domain: string;
}

interface Dictionaries {
  readonly departments: ReadonlyMap<string, string>;
  readonly workPlaces: ReadonlyMap<string, string>;
  readonly workTypes: ReadonlyMap<string, string>;
  readonly workingPatterns: ReadonlyMap<string, string>;
}

/** What was just made is neither unknown nor archived, and needs no look-up. */
const NO_REFERENCES: References = new Map();

/** Fills an organisation with people and several years of their history. Done twice, it does the rest and nothing double. */
export async function seedOrganisation(services: CommandServices, pool: Pool, organisation: OrganisationRow, cast: Cast): Promise<void> {
  const writer = new PeopleWriter({ pool, eventStore: services.store, projector: services.projector, mint: services.mint });
  const today = dateIn(organisation.time_zone, new Date());
  const contextOf = (...seed: readonly string[]): CommandContext => seedContext(organisation, today, seed);
  const dictionaries = await seedDictionaries(services, contextOf('dictionaries'));
  const personIds: string[] = [];
  for (const story of tellStories(cast.seed, cast.count, cast.domain, today)) {
    personIds.push(await seedPerson(writer, contextOf, story, dictionaries, personIds));
  }
}

/** A context whose ids are the same for every run: of an operation that may be interrupted and done again. */
export function seedContext(organisation: OrganisationRow, today: string, seed: readonly string[]): CommandContext {
  return {
    organisationId: organisation.id,
    actor: { type: 'system', id: 'demo' },
    requestId: null,
    idempotencyKey: ['demo', ...seed].join(' '),
    fingerprint: null,
    seed: ['demo', organisation.id, ...seed],
    today,
  };
}

async function seedDictionaries(services: CommandServices, context: CommandContext): Promise<Dictionaries> {
  for (const location of LOCATIONS) await findOrCreateLocation(services, context, location);
  const workPlaces = await WORK_PLACE_COMMANDS.findOrCreate(services, context, WORK_PLACES);
  const workTypes = await WORK_TYPE_COMMANDS.findOrCreate(services, context, WORK_TYPES);
  const ids = (found: ReadonlyMap<string, { readonly id: string }>): ReadonlyMap<string, string> => new Map([...found].map(([key, { id }]) => [key, id]));
  const workingPatterns = new Map<string, string>();
  for (const pattern of WORKING_PATTERNS) workingPatterns.set(pattern.label, (await findOrCreateWorkingPattern(services, context, pattern)).id);
  return { departments: await seedDepartments(services, context), workPlaces: ids(workPlaces), workTypes: ids(workTypes), workingPatterns };
}

/** The divisions, and the departments below them. */
async function seedDepartments(services: CommandServices, context: CommandContext): Promise<ReadonlyMap<string, string>> {
  const departments = new Map<string, string>();
  for (const [division, names] of Object.entries(DIVISIONS)) {
    const { id: parentId } = await findOrCreateOrgUnit(services, context, { name: division });
    for (const name of names) departments.set(nameKey(name), (await findOrCreateOrgUnit(services, context, { name, parentId })).id);
  }
  return departments;
}

async function seedPerson(
  writer: PeopleWriter,
  contextOf: (...seed: readonly string[]) => CommandContext,
  story: Story,
  dictionaries: Dictionaries,
  personIds: readonly string[],
): Promise<string> {
  const identity = {
    work_email: story.email,
    first_name: story.firstName,
    preferred_name: story.preferredName,
    last_name: story.lastName,
    staff_id: story.staffId,
  };
  const terms = {
    job_title: story.title,
    department_id: dictionaries.departments.get(nameKey(story.department))!,
    manager_id: story.manager === null ? null : personIds[story.manager]!,
    work_place_id: dictionaries.workPlaces.get(nameKey(story.workPlace))!,
    work_type_id: dictionaries.workTypes.get(nameKey(story.workType))!,
    working_pattern_id: patternIdOf(dictionaries, story.minutes),
    contracted_weekly_minutes: story.minutes,
    full_time_weekly_minutes: FULL_TIME_MINUTES,
  };
  const personId = await writer.create(contextOf(story.email), { identity, startDate: story.startDate, terms }, NO_REFERENCES);
  for (const [index, chapter] of story.chapters.entries()) {
    const context = contextOf(story.email, String(index));
    await writer.recordFact(context, personId, requestOf(chapter, context.today, dictionaries, personIds), NO_REFERENCES, null);
  }
  return personId;
}

function requestOf(chapter: Chapter, today: string, dictionaries: Dictionaries, personIds: readonly string[]): EmploymentRequest {
  switch (chapter.type) {
    case 'end':
      return { type: 'end', endDate: chapter.date };
    case 'change': {
      const terms = {
        ...(chapter.title === undefined ? {} : { job_title: chapter.title }),
        ...(chapter.minutes === undefined
          ? {}
          : { contracted_weekly_minutes: chapter.minutes, working_pattern_id: patternIdOf(dictionaries, chapter.minutes) }),
      };
      return { type: 'change', startDate: chapter.date, terms, today };
    }
    case 'reactivate': {
      const terms = {
        job_title: chapter.title,
        department_id: dictionaries.departments.get(nameKey(chapter.department))!,
        manager_id: chapter.manager === null ? null : personIds[chapter.manager]!,
        working_pattern_id: patternIdOf(dictionaries, FULL_TIME_MINUTES),
        contracted_weekly_minutes: FULL_TIME_MINUTES,
        full_time_weekly_minutes: FULL_TIME_MINUTES,
      };
      return { type: 'reactivate', startDate: chapter.date, terms };
    }
  }
}

function patternIdOf({ workingPatterns }: Dictionaries, weeklyMinutes: number): string {
  return workingPatterns.get(patternOf(weeklyMinutes).label)!;
}
