import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import { FORGET_AUTHORISATIONS } from '#http/keys/authorisation-version.js';
import { sandboxAggregate } from './sandbox.decider.js';

/** The stream of an organisation's sandbox: `sandbox-{organisation}.sandbox`. */
export const SANDBOX_ENTITY = 'sandbox';

const KEYS: RowKeys = {
  primaryKey: ['organisation_id'],
  others: [],
  values: (organisationId) => ({ organisation_id: organisationId }),
  streamKey: `organisation_id || '.${SANDBOX_ENTITY}'`,
};

/** The tenant for which each organisation's test keys act. */
export const sandboxProjection = oneRowProjection(sandboxAggregate, {
  afterRebuild: FORGET_AUTHORISATIONS,
  table: 'sandboxes',
  keys: KEYS,
  columns: ['tenant_id', 'opened_on', 'former_tenants', 'prepared_tenants'],
  lists: ['former_tenants', 'prepared_tenants'],
  row: (state) => ({
    tenant_id: state.tenantId,
    opened_on: state.openedOn,
    former_tenants: state.formerTenants,
    prepared_tenants: state.preparedTenants,
  }),
});
