import type { Pool } from 'pg';
import type { LocalDate } from '#kernel/dates.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { findOrCreateLocation } from '#resources/organisation/location/location.commands.js';
import { nameKey } from '#resources/naming/name-key.js';
import { commandOrgUnit } from '#resources/organisation/org-unit/org-unit.commands.js';
import { type EmploymentRequest, PeopleWriter } from '#resources/people/people/people-writer.js';
import { WORK_PLACES } from '#resources/organisation/dictionary/dictionary.commands.js';
import type { ContextOf } from './seed-context.js';
import { inParallel } from './steps.js';
import { changedTerms, hoursOf, NO_REFERENCES } from './terms.js';
import { seedParticulars } from './seed-particulars.js';
import { limitOverdrafts, seedMappings, seedSettings, type Settings } from './seed-settings.js';
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

/** What filling a tenant needs. */
interface SeedServices {
  readonly services: CommandServices;
  readonly writer: PeopleWriter;
  readonly contextOf: ContextOf;
  readonly settings: Settings;
  /** By staff id, of all people made so far. */
  readonly personIds: Map<string, string>;
}

/**
 * Fills an empty sandbox tenant with settings and the people of `sandbox-people.ts`, through the usual commands. Ids derive from
 * what is made alone, so they are the same in every tenant. `onPerson` receives how many people are done.
 */
export async function seedSandbox(
  services: CommandServices,
  pool: Pool,
  tenantId: string,
  today: LocalDate,
  onPerson: (done: number) => void,
): Promise<void> {
  const contextOf = sandboxContexts(tenantId, today);
  const writer = new PeopleWriter({ pool, eventStore: services.store, projector: services.projector, mint: services.mint });
  const set = await seedSettings(services, contextOf('settings'));
  await findOrCreateLocation(services, contextOf('settings'), LOCATION_ABROAD);
  const abroad = await WORK_PLACES.findOrCreate(services, contextOf('settings'), FOREIGN_WORK_PLACES);
  const settings = { ...set, workPlaces: new Map([...set.workPlaces, ...[...abroad].map(([key, { id }]) => [key, id] as const)]) };
  await seedMappings(services, contextOf('mappings'), settings);
  const seedServices: SeedServices = { services, writer, contextOf, settings, personIds: new Map() };
  // In their order one by one, so that lists show them so: managers come before those who report to them.
  const made: SeededPerson[] = [];
  for (const person of sandboxPeople(today)) made.push(await createPerson(seedServices, person));
  let done = 0;
  await inParallel(made, async (one) => {
    await completePerson(seedServices, one);
    onPerson((done += 1));
  });
  const engineering = settings.departments.get(nameKey('Engineering'))!;
  await commandOrgUnit(services, contextOf('head'), engineering, {
    type: 'change',
    changes: { code: 'ENG', head_id: seedServices.personIds.get('SBX-0002')! },
  });
  await limitOverdrafts(services, contextOf('overdrafts'), settings);
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
  const wanted = { identity, startDate: person.startDate, terms: termsOf(seedServices, person.job) };
  const { writer } = seedServices;
  const { personId, employment } = await commit(writer.services, seedServices.contextOf(person.staffId), async (within) => {
    const created = await writer.stageCreation(within, wanted, NO_REFERENCES);
    return () => created;
  });
  seedServices.personIds.set(person.staffId, personId);
  return { person, personId, factId: employment.state.facts.at(-1)!.factId };
}

/** What has happened to them since, and what is kept of them. */
async function completePerson(seedServices: SeedServices, { person, personId, factId }: SeededPerson): Promise<void> {
  const { services, writer, settings } = seedServices;
  const contextOf: ContextOf = (...seed) => seedServices.contextOf(person.staffId, ...seed);
  const factIds = [factId];
  for (const [index, fact] of person.facts.entries()) {
    const context = contextOf('fact', String(index));
    const { state } = await writer.recordFact(
      context,
      personId,
      requestOf(seedServices, fact, context.today, factIds),
      NO_REFERENCES,
      null,
    );
    factIds.push(state.facts.at(-1)!.factId);
  }
  const { particulars, absences, adjustments } = person;
  await seedParticulars(
    { services, settings, contextOf },
    { personId, number: Number(person.staffId.slice(-4)), particulars, absences, adjustments },
  );
}

function termsOf({ settings, personIds }: SeedServices, job: SandboxPerson['job']): Extract<EmploymentRequest, { type: 'start' }>['terms'] {
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

function requestOf({ settings }: SeedServices, fact: SandboxFact, today: LocalDate, factIds: readonly string[]): EmploymentRequest {
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
