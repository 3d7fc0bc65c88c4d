import { openPersonKeys, type StoredPersonKey } from '#database/key-rings/person-key-seal.js';
import type { Clock } from '#kernel/clock.js';
import { categoryOf } from '#event-store/event-store.js';
import { dateIn } from '#kernel/dates.js';
import type { Executor, Projection, ProjectionContext, Stream } from './projection.js';
import { partsOfStream } from '#kernel/aggregate.js';

/**
 * Fetches the data for projecting these streams: the time zones of their organisations, and the keys of
 * people if a projection decrypts data. An organisation that is not projected yet counts as UTC; when it
 * appears, its rows are projected again as of its current day.
 */
export async function prepareContext(
  executor: Executor,
  clock: Clock,
  projections: readonly Projection[],
  streams: readonly Stream[],
): Promise<ProjectionContext> {
  const parts = streams.map((stream) => partsOfStream(stream[0]!.stream));
  const zones = await timeZones(executor, [...new Set(parts.map((part) => part.organisationId))]);
  const keys = await personKeys(executor, peopleOf(projections, streams));
  const now = clock.now();
  const today = new Map(
    [...new Set(parts.map((part) => part.organisationId))].map((id) => [id, dateIn(zones.get(id) ?? 'UTC', now)]),
  );
  return {
    today: (organisationId) => today.get(organisationId) ?? dateIn('UTC', now),
    dateAt: (organisationId, instant) => dateIn(zones.get(organisationId) ?? 'UTC', new Date(instant)),
    personKey: (organisationId, personId) => keys.get(`${organisationId}.${personId}`) ?? null,
  };
}

async function timeZones(executor: Executor, organisationIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await executor.query<{ id: string; time_zone: string }>({
    name: 'organisation-time-zones',
    text: 'select id, time_zone from organisations where id = any($1::text[])',
    values: [organisationIds],
  });
  return new Map(rows.map((row) => [row.id, row.time_zone]));
}

interface PersonOfOrganisation {
  readonly organisationId: string;
  readonly personId: string;
}

/** The people whose keys decrypt these streams, without duplicates. */
function peopleOf(projections: readonly Projection[], streams: readonly Stream[]): readonly PersonOfOrganisation[] {
  const sealed = projections
    .filter(({ needsPersonKeys }) => needsPersonKeys)
    .flatMap((projection) => projection.streams);
  const people = new Map<string, PersonOfOrganisation>();
  for (const stream of sealed.length === 0 ? [] : streams) {
    const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
    const category = categoryOf(stream[0]!.stream);
    for (const projected of sealed.filter((candidate) => candidate.category === category)) {
      const personId = projected.personOf === undefined ? entityId : projected.personOf(stream);
      if (personId !== null) people.set(`${organisationId}.${personId}`, { organisationId, personId });
    }
  }
  return [...people.values()];
}

async function personKeys(
  executor: Executor,
  people: readonly PersonOfOrganisation[],
): Promise<ReadonlyMap<string, Buffer>> {
  if (people.length === 0) return new Map();
  const { rows } = await executor.query<StoredPersonKey>({
    name: 'person-keys',
    text: `select k.organisation_id, k.person_id, k.key
             from unnest($1::text[], $2::text[]) as requested(organisation_id, person_id)
             join person_keys k using (organisation_id, person_id)`,
    values: [people.map((one) => one.organisationId), people.map((one) => one.personId)],
  });
  return new Map(
    (await openPersonKeys(executor, rows)).map((row) => [`${row.organisation_id}.${row.person_id}`, row.key]),
  );
}
