import type { LocalDate } from '#kernel/dates.js';
import { nameKey } from '#kernel/names.js';
import { ChangeOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { SetUpOrganisation } from '#composition/set-up.js';
import type { EmploymentRequest } from '#people/record/people-writer.js';
import { CreateSamplePerson, RecordSampleFact } from '#people/record/sample-people.js';
import type { ContextOf } from './seed-context.js';
import type { Seeding } from './seeding.js';
import { type StepContext, inParallel } from './steps.js';
import { changedTerms, hoursOf } from './terms.js';
import { seedParticulars } from './seed-particulars.js';
import { limitOverdrafts, MADE_UP_SETTINGS, seedMappings, type Settings } from './seed-settings.js';
import { FULL_TIME_MINUTES } from './demo-person.js';
import { FOREIGN_WORK_PLACES, sandboxPeople, type SandboxFact, type SandboxPerson } from './sandbox-people.js';

const LOCATION_ABROAD = {
  label: 'Berlin office',
  address_line_1: '7 Musterallee',
  address_line_2: null,
  address_line_3: null,
  city: 'Berlin',
  region_state: 'Berlin',
  postal_code: '10115',
  country_code: 'DE',
  capacity: null,
};

const SETTINGS = {
  ...MADE_UP_SETTINGS,
  locations: [...MADE_UP_SETTINGS.locations, LOCATION_ABROAD],
  workPlaces: [...MADE_UP_SETTINGS.workPlaces, ...FOREIGN_WORK_PLACES],
};

/** What filling a tenant needs. */
interface SeedServices extends StepContext {
  readonly settings: Settings;
  /** By staff id, of all people made so far. */
  readonly personIds: Map<string, string>;
}

/**
 * Fills an empty sandbox tenant with settings and the people of `sandbox-people.ts`, through the usual
 * commands. Ids derive from what is made alone, so they are the same in every tenant. `onPerson` receives how
 * many people are done.
 */
export async function seedSandbox(
  seeding: Seeding,
  tenantId: string,
  today: LocalDate,
  onPerson: (done: number) => void,
): Promise<void> {
  const contextOf = sandboxContexts(tenantId, today);
  const { send } = seeding;
  const settings = await send(new SetUpOrganisation(contextOf('settings'), SETTINGS));
  await seedMappings(seeding, contextOf('mappings'), settings);
  const seedServices: SeedServices = { ...seeding, contextOf, settings, personIds: new Map() };
  // In their order one by one, so that lists show them so: managers come before those who report to them.
  const made: SeededPerson[] = [];
  for (const person of sandboxPeople(today)) made.push(await createPerson(seedServices, person));
  let done = 0;
  await inParallel(made, async (one) => {
    await completePerson(seedServices, one);
    onPerson((done += 1));
  });
  const engineering = settings.departments.get(nameKey('Engineering'))!;
  const change = {
    type: 'change',
    changes: { code: 'ENG', head_id: seedServices.personIds.get('SBX-0002')! },
  } as const;
  await send(new ChangeOrgUnit(contextOf('head'), engineering, change, null));
  await limitOverdrafts(seeding, contextOf('overdrafts'), settings);
}

/** Contexts of the platform's own: the same in every tenant, so that ids are. */
function sandboxContexts(organisationId: string, today: LocalDate): ContextOf {
  return (...seed) => ({
    organisationId,
    actor: { type: 'system', id: 'sandbox' },
    requestId: null,
    idempotencyKey: null,
    fingerprint: null,
    seed: ['sandbox', ...seed],
    today,
  });
}

interface SeededPerson {
  readonly person: SandboxPerson;
  readonly personId: string;
  /** Of the start of their employment. */
  readonly factId: string;
}

async function createPerson(seedServices: SeedServices, person: SandboxPerson): Promise<SeededPerson> {
  const identity = {
    work_email: `${person.handle}@example.com`,
    first_name: person.firstName,
    preferred_name: person.preferredName,
    last_name: person.lastName,
    staff_id: person.staffId,
  };
  const requested = { identity, startDate: person.startDate, terms: termsOf(seedServices, person.job) };
  const context = seedServices.contextOf(person.staffId);
  const personId = await seedServices.send(new CreateSamplePerson(context, requested));
  const factId = seedServices.mint.prefixed('employmentFact', context.organisationId, ...context.seed, personId);
  seedServices.personIds.set(person.staffId, personId);
  return { person, personId, factId };
}

/** What has happened to them since, and what is kept of them. */
async function completePerson(seedServices: SeedServices, { person, personId, factId }: SeededPerson): Promise<void> {
  const contextOf: ContextOf = (...seed) => seedServices.contextOf(person.staffId, ...seed);
  const factIds = [factId];
  for (const [index, fact] of person.facts.entries()) {
    const context = contextOf('fact', String(index));
    const request = requestOf(seedServices, fact, context.today, factIds);
    factIds.push(await seedServices.send(new RecordSampleFact(context, personId, request)));
  }
  const { particulars, absences, adjustments } = person;
  await seedParticulars(
    { ...seedServices, contextOf },
    { personId, number: Number(person.staffId.slice(-4)), particulars, absences, adjustments },
  );
}

function termsOf(
  { settings, personIds }: SeedServices,
  job: SandboxPerson['job'],
): Extract<EmploymentRequest, { type: 'start' }>['terms'] {
  if (job === null) return {};
  return {
    job_title: job.title,
    department_id: settings.departments.get(nameKey(job.department))!,
    manager_id: job.manager === null ? null : personIds.get(job.manager)!,
    work_place_id: settings.workPlaces.get(nameKey(job.workPlace))!,
    work_type_id: settings.workTypes.get(nameKey(job.minutes === FULL_TIME_MINUTES ? 'Full-time' : 'Part-time'))!,
    ...hoursOf(settings, job.minutes),
    full_time_weekly_minutes: FULL_TIME_MINUTES,
  };
}

function requestOf(
  { settings }: SeedServices,
  fact: SandboxFact,
  today: LocalDate,
  factIds: readonly string[],
): EmploymentRequest {
  if (fact.type === 'end') return { type: 'end', endDate: fact.on };
  const terms = changedTerms(settings, fact);
  switch (fact.type) {
    case 'change':
      return { type: 'change', startDate: fact.on, terms, today };
    case 'correct':
      return {
        type: 'correct',
        startDate: fact.on,
        terms,
        correctionReason: fact.reason,
        corrects: fact.corrects === null ? null : factIds[fact.corrects]!,
      };
    case 'reactivate':
      return {
        type: 'reactivate',
        startDate: fact.on,
        terms: { ...terms, ...hoursOf(settings, FULL_TIME_MINUTES), full_time_weekly_minutes: FULL_TIME_MINUTES },
      };
  }
}
