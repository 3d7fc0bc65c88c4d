import type { OpenSandbox } from '#access/sandbox/sandbox.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Executor } from '#projections/projection.js';
import { sandboxPeople } from './sandbox-people.js';

/** The resources that tests identify by name: the table of each kind, and the column of the name. */
const KINDS = {
  org_units: 'name',
  work_places: 'label',
  work_types: 'label',
  working_patterns: 'label',
  time_off_categories: 'label',
  custom_fields: 'key',
  document_types: 'label',
};

interface NamedId {
  readonly id: string;
  readonly name: string;
}

/**
 * The current resources of a sandbox that integrators' tests can name. The id of the organisation is the
 * public one, the same in every sandbox. A person whose staff id a test removed has no id.
 */
export async function describeSandbox(
  executor: Executor,
  mint: IdMint,
  { tenantId, openedOn, subdomain }: OpenSandbox,
) {
  const read = async <Row extends object>(text: string): Promise<readonly Row[]> =>
    (await executor.query<Row>(text, [tenantId])).rows;
  const rows = await read<{ staff_id: string; person_id: string }>(
    'select staff_id, person_id from people where organisation_id = $1 and identity_revision is not null and ' +
      'staff_id is not null',
  );
  const ids = new Map(rows.map((row) => [row.staff_id, row.person_id]));
  const resources: Record<string, readonly NamedId[]> = {};
  for (const [kind, name] of Object.entries(KINDS))
    resources[kind] = await read(`select id, ${name} as name from ${kind} where organisation_id = $1 order by ${name}`);
  const people = sandboxPeople(openedOn).map(({ key: staff_id, identity: { work_email }, example }) => {
    return { staff_id, work_email, id: ids.get(staff_id) ?? null, example };
  });
  return {
    organisation_id: mint.publicOrganisation(tenantId),
    opened_on: openedOn,
    tenant: subdomain,
    people,
    resources,
  };
}
