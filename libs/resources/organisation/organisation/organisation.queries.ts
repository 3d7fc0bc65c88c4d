import { SANDBOX_TENANT_PREFIX } from '#identifiers/sandbox-tenant.js';
import type { Plan } from '#kernel/tenancy.js';
import type { Executor } from '#projections/projection.js';

/** A row of `organisations`. */
export interface OrganisationRow {
  readonly id: string;
  readonly name: string;
  readonly subdomain: string;
  readonly country_code: string;
  readonly plan: Plan;
  readonly time_zone: string;
  readonly logo_url: string | null;
  readonly primary_color_light: string | null;
  readonly primary_color_dark: string | null;
  readonly writes_approved: boolean;
  readonly is_sandbox: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = `id, name, subdomain, country_code, plan, time_zone, logo_url, primary_color_light, primary_color_dark,
  writes_approved, is_sandbox, created_at, updated_at`;

/** The organisation with this id or subdomain; null where there is none. No subdomain has the form of an id. */
export async function findOrganisation(executor: Executor, idOrSubdomain: string): Promise<OrganisationRow | null> {
  const { rows } = await executor.query<OrganisationRow>({
    name: 'find-organisation',
    text: `select ${COLUMNS} from organisations where id = $1 or subdomain = lower($1)`,
    values: [idOrSubdomain],
  });
  return rows[0] ?? null;
}

/** All organisations of the installation, the platform's own included, by subdomain, but without sandbox tenants. */
export async function listOrganisations(executor: Executor): Promise<readonly OrganisationRow[]> {
  const { rows } = await executor.query<OrganisationRow>(
    `select ${COLUMNS} from organisations where not starts_with(id, '${SANDBOX_TENANT_PREFIX}') order by subdomain`,
  );
  return rows;
}
