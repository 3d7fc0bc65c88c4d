import type { Pool } from 'pg';
import { dateIn } from '#kernel/dates.js';
import type { CommandServices } from '#commands/execute.js';
import { nameKey } from '#resources/naming/name-key.js';
import type { OrganisationRow } from '#resources/organisation/organisation/organisation.queries.js';
import { type EmploymentRequest, PeopleWriter } from '#resources/people/people/people-writer.js';
import type { References } from '#resources/people/people/references.js';
import { tellAbsences } from './absences.js';
import { tellAdjustments } from './adjustments.js';
import { tellParticulars } from './particulars.js';
import { type ContextOf, seedContexts } from './seed-context.js';
import { seedParticulars } from './seed-particulars.js';
import { limitOverdrafts, seedHeads, seedMappings, seedSettings, type Settings } from './seed-settings.js';
import { patternOf } from './settings.js';
import { type Chapter, FULL_TIME_MINUTES, type Story, tellStories } from './demo-people.js';

/** Which people an organisation is filled with. */
export interface Cast {
  /** Of the made-up data: the same seed, the same people. */
  readonly seed: number;
  readonly count: number;
  /** Of their e-mail addresses. */
  readonly domain: string;
}

/** What was just made is neither unknown nor archived, and needs no look-up. */
const NO_REFERENCES: References = new Map();

/**
 * Fills an organisation with settings, people, several years of their history and what is kept of them beside it. Done
 * twice, also on a later day, it does the rest and nothing double: the story is told as of the day the organisation was made.
 */
export async function seedOrganisation(services: CommandServices, pool: Pool, organisation: OrganisationRow, cast: Cast): Promise<void> {
  const writer = new PeopleWriter({ pool, eventStore: services.store, projector: services.projector, mint: services.mint });
  const today = dateIn(organisation.time_zone, organisation.created_at);
  const contextOf = seedContexts(organisation.id, today);
  const settings = await seedSettings(services, contextOf('dictionaries'));
  const stories = tellStories(cast.seed, cast.count, cast.domain, today);
  await seedMappings(services, contextOf('mappings'), settings);
  const personIds: string[] = [];
  for (const story of stories) personIds.push(await seedPerson(writer, contextOf, story, settings, personIds));
  await seedHeads(services, contextOf('heads'), settings, personIds);
  await besideEachOther([...stories.entries()], async ([number, story]) => {
    const particulars = tellParticulars({ seed: cast.seed, number, story, today });
    const [absences, adjustments] = [tellAbsences({ number, story, today }), tellAdjustments(number, today)];
    const person = { personId: personIds[number]!, number, particulars, absences, adjustments };
    await seedParticulars({ services, settings, contextOf: (...seed) => contextOf(story.email, ...seed) }, person);
  });
  await limitOverdrafts(services, contextOf('overdrafts'), settings);
}

/** As many people at a time as keep both the program and the database at work. */
const WIDTH = 4;

/** Does the work for each item, some at a time. */
export async function besideEachOther<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const takeTurns = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: WIDTH }, takeTurns));
}

async function seedPerson(
  writer: PeopleWriter,
  contextOf: ContextOf,
  story: Story,
  settings: Settings,
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
    department_id: settings.departments.get(nameKey(story.department))!,
    manager_id: story.manager === null ? null : personIds[story.manager]!,
    work_place_id: settings.workPlaces.get(nameKey(story.workPlace))!,
    work_type_id: settings.workTypes.get(nameKey(story.workType))!,
    working_pattern_id: patternIdOf(settings, story.minutes),
    contracted_weekly_minutes: story.minutes,
    full_time_weekly_minutes: FULL_TIME_MINUTES,
  };
  const personId = await writer.create(contextOf(story.email), { identity, startDate: story.startDate, terms }, NO_REFERENCES);
  for (const [index, chapter] of story.chapters.entries()) {
    const context = contextOf(story.email, String(index));
    await writer.recordFact(context, personId, requestOf(chapter, context.today, settings, personIds), NO_REFERENCES, null);
  }
  return personId;
}

function requestOf(chapter: Chapter, today: string, settings: Settings, personIds: readonly string[]): EmploymentRequest {
  switch (chapter.type) {
    case 'end':
      return { type: 'end', endDate: chapter.date };
    case 'change': {
      const terms = {
        ...(chapter.title === undefined ? {} : { job_title: chapter.title }),
        ...(chapter.minutes === undefined
          ? {}
          : { contracted_weekly_minutes: chapter.minutes, working_pattern_id: patternIdOf(settings, chapter.minutes) }),
      };
      return { type: 'change', startDate: chapter.date, terms, today };
    }
    case 'reactivate': {
      const terms = {
        job_title: chapter.title,
        department_id: settings.departments.get(nameKey(chapter.department))!,
        manager_id: chapter.manager === null ? null : personIds[chapter.manager]!,
        working_pattern_id: patternIdOf(settings, FULL_TIME_MINUTES),
        contracted_weekly_minutes: FULL_TIME_MINUTES,
        full_time_weekly_minutes: FULL_TIME_MINUTES,
      };
      return { type: 'reactivate', startDate: chapter.date, terms };
    }
  }
}

function patternIdOf({ workingPatterns }: Settings, weeklyMinutes: number): string {
  return workingPatterns.get(nameKey(patternOf(weeklyMinutes).label))!;
}
