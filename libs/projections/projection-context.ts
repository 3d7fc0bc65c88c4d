import { openPersonKeys, type StoredPersonKey } from '#database/key-rings/person-key-seal.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { type Executor, partsOfStream, type Projection, type ProjectionContext, type Stream } from './projection.js';

/**
 * Fetches what projecting these streams needs: time zones of their organisations, and keys of persons where a projection
 * opens sealed data. An organisation that is not there yet counts as UTC; its rows are rolled when it appears.
 */
export async function prepareContext(
  executor: Executor,
  clock: Clock,
  projections: readonly Projection[],
  streams: readonly Stream[],
): Promise<ProjectionContext> {
  const parts = streams.map((stream) => partsOfStream(stream[0]!.stream));
  const zones = await timeZones(executor, [...new Set(parts.map((part) => part.organisationId))]);
  const keys = projections.some((projection) => projection.needsPersonKeys) ? await personKeys(executor, parts) : new Map<string, Buffer>();
  const now = clock.now();
  const today = new Map([...new Set(parts.map((part) => part.organisationId))].map((id) => [id, dateIn(zones.get(id) ?? 'UTC', now)]));
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

async function personKeys(
  executor: Executor,
  parts: readonly { readonly organisationId: string; readonly entityId: string }[],
): Promise<ReadonlyMap<string, Buffer>> {
  const { rows } = await executor.query<StoredPersonKey>({
    name: 'person-keys',
    text: `select k.organisation_id, k.person_id, k.key
             from unnest($1::text[], $2::text[]) as wanted(organisation_id, person_id)
             join person_keys k using (organisation_id, person_id)`,
    values: [parts.map((part) => part.organisationId), parts.map((part) => part.entityId)],
  });
  return new Map((await openPersonKeys(executor, rows)).map((row) => [`${row.organisation_id}.${row.person_id}`, row.key]));
}
