import type { Executor } from '#projections/projection.js';

/** The sandbox of an organisation that is open. */
export interface OpenSandbox {
  readonly tenantId: string;
  /** The subdomain by which commands may name the tenant. */
  readonly subdomain: string;
  /** `YYYY-MM-DD`: the day of its last refresh, to which the dates of its people are relative. */
  readonly openedOn: string;
}

/** The sandbox of this organisation; null where it has none of its own. */
export async function findSandbox(executor: Executor, organisationId: string): Promise<OpenSandbox | null> {
  const { rows } = await executor.query<{ tenant_id: string; subdomain: string; opened_on: string }>({
    name: 'find-sandbox',
    text: `select s.tenant_id, o.subdomain, s.opened_on::text as opened_on
             from sandboxes s join organisations o on o.id = s.tenant_id where s.organisation_id = $1`,
    values: [organisationId],
  });
  const [row] = rows;
  return row === undefined ? null : { tenantId: row.tenant_id, subdomain: row.subdomain, openedOn: row.opened_on };
}
