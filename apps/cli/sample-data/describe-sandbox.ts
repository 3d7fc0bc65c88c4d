import type { IdMint } from '#identifiers/id-mint.js';
import type { LocalDate } from '#kernel/dates.js';
import type { JsonObject } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import type { OpenSandbox } from '#access/sandbox/sandbox.js';
import { SANDBOX } from './data-files.js';
import { sandboxPeople } from './sandbox-people.js';

/** A resource of a sandbox, by the name that tests know it by. */
export interface NamedId {
  readonly id: string;
  readonly name: string;
}

/** What integrators' tests can name. */
export interface SandboxDescription {
  /** As callers read it: the same in every sandbox. */
  readonly organisationId: string;
  readonly openedOn: LocalDate;
  readonly people: readonly {
    readonly staffId: string;
    readonly workEmail: string;
    readonly id: string | null;
    readonly example: string;
  }[];
  /** By kind. */
  readonly resources: Readonly<Record<string, readonly NamedId[]>>;
}

const TABLES: Readonly<Record<string, readonly [table: string, name: string]>> = {
  org_units: ['org_units', 'name'],
  work_places: ['work_places', 'label'],
  work_types: ['work_types', 'label'],
  working_patterns: ['working_patterns', 'label'],
  time_off_categories: ['time_off_categories', 'label'],
  custom_fields: ['custom_fields', 'key'],
  document_types: ['document_types', 'label'],
};

/** Reads what a sandbox holds now. A person whose staff id a test removed has no id here. */
export async function describeSandbox(
  executor: Executor,
  mint: IdMint,
  { tenantId, openedOn }: OpenSandbox,
): Promise<SandboxDescription> {
  const { rows } = await executor.query<{ staff_id: string; person_id: string }>(
    'select staff_id, person_id from people where organisation_id = $1 and identity_revision is not null and staff_id is not null',
    [tenantId],
  );
  const ids = new Map(rows.map((row) => [row.staff_id, row.person_id]));
  const resources: Record<string, readonly NamedId[]> = {};
  for (const [kind, [table, name]] of Object.entries(TABLES)) {
    resources[kind] = (
      await executor.query<{ id: string; name: string }>(
        `select id, ${name} as name from ${table} where organisation_id = $1 order by ${name}`,
        [tenantId],
      )
    ).rows;
  }
  const people = sandboxPeople(openedOn).map(({ key, identity }, index) => ({
    staffId: key,
    workEmail: identity.work_email,
    id: ids.get(key) ?? null,
    example: SANDBOX.people[index]!.example,
  }));
  return { organisationId: mint.publicOrganisation(tenantId), openedOn, people, resources };
}

/** As the command line prints it. */
export function sandboxJson(
  { organisationId, openedOn, people, resources }: SandboxDescription,
  subdomain: string,
): JsonObject {
  return {
    organisation_id: organisationId,
    opened_on: openedOn,
    tenant: subdomain,
    people: people.map(({ staffId, workEmail, id, example }) => ({
      staff_id: staffId,
      work_email: workEmail,
      id,
      example,
    })),
    resources: Object.fromEntries(
      Object.entries(resources).map(([kind, named]) => [kind, named.map(({ id, name }) => ({ id, name }))]),
    ),
  };
}
