import type { Executor } from '#projections/projection.js';
import type { Location } from './location.decider.js';

/** A row of `locations`. */
export interface LocationRow extends Location {
  readonly id: string;
  readonly is_active: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = `id, label, address_line_1, address_line_2, address_line_3, city, region_state, postal_code, country_code, capacity,
  is_active, created_at, updated_at`;

/** The organisation's active locations, by label. */
export async function listActiveLocations(executor: Executor, organisationId: string): Promise<readonly LocationRow[]> {
  const { rows } = await executor.query<LocationRow>({
    name: 'list-active-locations',
    text: `select ${COLUMNS} from locations where organisation_id = $1 and is_active order by name_key, id`,
    values: [organisationId],
  });
  return rows;
}

/** All locations, the inactive ones included, by label. */
export async function listLocations(executor: Executor, organisationId: string): Promise<readonly LocationRow[]> {
  const { rows } = await executor.query<LocationRow>(`select ${COLUMNS} from locations where organisation_id = $1 order by name_key, id`, [
    organisationId,
  ]);
  return rows;
}

/** The location; null where this organisation has none of this id. */
export async function findLocation(executor: Executor, organisationId: string, locationId: string): Promise<LocationRow | null> {
  const { rows } = await executor.query<LocationRow>(`select ${COLUMNS} from locations where organisation_id = $1 and id = $2`, [
    organisationId,
    locationId,
  ]);
  return rows[0] ?? null;
}
