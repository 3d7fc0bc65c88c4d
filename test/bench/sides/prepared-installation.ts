import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import type { LocalDate } from '#kernel/dates.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { peopleProjection } from '#resources/people/people/people.projection.js';
import { createTimeOffCategory } from '#resources/time-off/category/time-off-category.commands.js';
import { timeOffProjection } from '#resources/time-off/records/time-off.projection.js';
import { addOrganisation, type Fixture, openFixture, recordPeople, recordTimeOff, skipLog } from '../fixture.js';
import { firstDayOf, type MadeCategories } from '../time-off-history.js';

/** A data directory in which `workforce start` finds an organisation with people and their time off. */
export interface PreparedInstallation {
  readonly dataDirectory: string;
  readonly organisationId: string;
  readonly apiKey: string;
  readonly personIds: readonly string[];
  readonly categories: MadeCategories;
  /** The day that the history of time off begins with, and the day of the run. */
  readonly firstDay: LocalDate;
  readonly today: LocalDate;
  /** Of another organisation with as many people; null where none was wanted. */
  readonly neighbour: { readonly apiKey: string; readonly personIds: readonly string[] } | null;
}

/** Facts of each person's employment. */
const FACTS = 3;
/** 25 days of the usual week. */
const ALLOWANCE_MINUTES = 11_250;

/** What is recorded before the program starts. */
export interface Contents {
  readonly people: number;
  /** Whether everybody has two years of time off. */
  readonly hasTimeOff: boolean;
  /** Changes of identity of the person of a number; none where not given. */
  readonly changesOf?: (index: number) => number;
  readonly hasNeighbour?: boolean;
}

/** Records the people and, where asked to, two years of their time off, past the API but with everything that it would have written. */
export async function prepareInstallation(
  directory: string,
  { people, hasTimeOff, changesOf = () => 0, hasNeighbour = false }: Contents,
): Promise<PreparedInstallation> {
  const dataDirectory = join(directory, 'data');
  // As the program makes it: PostgreSQL may run as another user, who must be able to pass.
  await mkdir(dataDirectory, { mode: 0o711 });
  const server = await startEmbeddedPostgres({ directory: dataDirectory });
  try {
    const fixture = await openFixture(server.url);
    const { surroundings, apiKey } = fixture;
    const { today } = fixture.newContext();
    const firstDay = firstDayOf(today);
    const categories = await createCategories(fixture);
    const personIds = await recordPeople(fixture, people, (index) => ({ facts: FACTS, changes: changesOf(index) }));
    if (hasTimeOff) await recordTimeOff(fixture, categories, personIds, firstDay);
    const neighbour = hasNeighbour ? await recordNeighbour(fixture, people) : null;
    await project(fixture, hasTimeOff);
    await fixture.close();
    return { dataDirectory, organisationId: surroundings.organisationId, apiKey, personIds, categories, firstDay, today, neighbour };
  } finally {
    await server.stop();
  }
}

async function recordNeighbour(fixture: Fixture, people: number): Promise<PreparedInstallation['neighbour']> {
  const { apiKey, surroundings } = await addOrganisation(fixture.services, 'neighbour');
  return { apiKey, personIds: await recordPeople({ ...fixture, surroundings }, people, () => ({ facts: FACTS, changes: 0 })) };
}

async function createCategories({ services, newContext }: Fixture): Promise<MadeCategories> {
  const annual = { label: 'Annual leave', annual_allowance_minutes: ALLOWANCE_MINUTES, negative_balance_minutes: 0 };
  const sick = { label: 'Sick leave', requires_approval: false, deducts_balance: false };
  const { id: annualLeaveId } = await createTimeOffCategory(services, newContext(), annual);
  const { id: sickLeaveId } = await createTimeOffCategory(services, newContext(), sick);
  return { annualLeaveId, sickLeaveId };
}

/** Everything is in the read tables, and the worker finds nothing to do. */
async function project(fixture: Fixture, hasTimeOff: boolean): Promise<void> {
  const { pool } = fixture;
  const eventStore = new PostgresEventStore(pool);
  const services = { pool, eventStore, clock: { now: () => new Date() } };
  for (const projection of hasTimeOff ? [peopleProjection, timeOffProjection] : [peopleProjection]) await rebuild(services, projection);
  await skipLog(fixture);
  await pool.query('checkpoint');
}
