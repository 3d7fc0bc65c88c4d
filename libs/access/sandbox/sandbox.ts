import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { bumpAuthorisationVersion, FORGET_AUTHORISATIONS } from '#database/authorisation-version.js';
import { newSandboxTenant } from '#identifiers/sandbox-tenant.js';
import { accept, type Decision, defineAggregate, type DomainEvent } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { unreachable } from '#kernel/unreachable.js';
import { createSandboxTenant } from '#organisation/organisation/organisation.api.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import type { Executor } from '#projections/projection.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type SandboxEvent =
  /** A tenant is about to be filled. With this event, an incomplete tenant can be found. */
  | DomainEvent<'SandboxPrepared', { tenant_id: string }>
  /**
   * From here on sandbox keys of the organisation act for this tenant. The dates of its people are relative
   * to `opened_on`.
   */
  | DomainEvent<'SandboxOpened', { tenant_id: string; opened_on: LocalDate }>;

/** The sandbox of one organisation. */
export interface SandboxState {
  /** Null before the first tenant was opened. */
  readonly tenantId: string | null;
  readonly openedOn: LocalDate | null;
  /** Earlier tenants, in order. No key acts for them again, even if more events are recorded in them. */
  readonly formerTenants: readonly string[];
  /** Tenants that were prepared since then and have not been opened. */
  readonly preparedTenants: readonly string[];
}

export const initialSandbox: SandboxState = { tenantId: null, openedOn: null, formerTenants: [], preparedTenants: [] };

/** The state with one more event. */
export function evolveSandbox(state: SandboxState, event: SandboxEvent): SandboxState {
  const { tenant_id: tenantId } = event.data;
  switch (event.type) {
    case 'SandboxPrepared':
      return { ...state, preparedTenants: [...state.preparedTenants, tenantId] };
    case 'SandboxOpened': {
      const before = [...(state.tenantId === null ? [] : [state.tenantId]), ...state.preparedTenants];
      const formerTenants = [...state.formerTenants, ...before.filter((one) => one !== tenantId)];
      return { tenantId, openedOn: event.data.opened_on, formerTenants, preparedTenants: [] };
    }
    default:
      return unreachable(event);
  }
}

export type SandboxCommand =
  | { readonly type: 'prepare'; readonly tenantId: string }
  | { readonly type: 'open'; readonly tenantId: string; readonly openedOn: LocalDate };

/**
 * The events of a command. A command without a change records nothing; only a prepared tenant can be opened.
 */
export function decideSandbox(command: SandboxCommand, state: SandboxState): Decision<SandboxEvent> {
  const { tenantId } = command;
  if (state.tenantId === tenantId) return accept();
  const isPrepared = state.preparedTenants.includes(tenantId);
  switch (command.type) {
    case 'prepare':
      return isPrepared ? accept() : accept({ type: 'SandboxPrepared', data: { tenant_id: tenantId } });
    case 'open':
      if (!isPrepared) throw new Error(`the tenant ${tenantId} was not prepared, or another one was opened since`);
      return accept({ type: 'SandboxOpened', data: { tenant_id: tenantId, opened_on: command.openedOn } });
    default:
      return unreachable(command);
  }
}

export const sandboxAggregate = defineAggregate({
  category: 'sandbox',
  initial: initialSandbox,
  evolve: evolveSandbox,
});

/**
 * The read table of sandboxes. `tenant_id` is the tenant of the organisation's test keys, which
 * authentication reads; `former_tenants` are earlier ones, whose rows are removed.
 */
export const SANDBOXES_SCHEMA = `
create table sandboxes (
  organisation_id text collate "C" primary key,
  tenant_id text collate "C",
  opened_on date,
  former_tenants jsonb not null,
  prepared_tenants jsonb not null,
  revision bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index sandboxes_by_tenant on sandboxes (tenant_id);
${bumpAuthorisationVersion('sandboxes')}
`;

/** The stream of an organisation's sandbox: `sandbox-{organisation}.sandbox`. */
const SANDBOX_ENTITY = 'sandbox';

const KEYS: RowKeys = {
  primaryKey: ['organisation_id'],
  others: [],
  values: (organisationId) => ({ organisation_id: organisationId }),
  streamKey: `organisation_id || '.${SANDBOX_ENTITY}'`,
};

/** The tenant of each organisation's test keys. */
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

/** The open sandbox of an organisation. */
export interface OpenSandbox {
  readonly tenantId: string;
  /** The subdomain by which commands may refer to the tenant. */
  readonly subdomain: string;
  /** `YYYY-MM-DD`: the day of its last refresh, to which the dates of its people are relative. */
  readonly openedOn: string;
}

/** The sandbox of this organisation; null if it has none of its own. */
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

/** Creates an empty tenant for the context's organisation; no key acts for it until it is opened. */
export async function prepareSandbox(services: CommandServices, context: CommandContext): Promise<OrganisationRow> {
  const tenantId = newSandboxTenant();
  await run(services, context, { type: 'prepare', tenantId });
  return createSandboxTenant(services, { ...context, organisationId: tenantId });
}

/**
 * Opens a tenant: sandbox keys of the context's organisation act for it in every process within a second. A
 * single event makes the switch from the old tenant to the new one atomic. Throws if the tenant was not
 * prepared.
 */
export async function openSandbox(
  services: CommandServices,
  context: CommandContext,
  tenantId: string,
  openedOn: LocalDate,
): Promise<void> {
  await run(services, context, { type: 'open', tenantId, openedOn });
}

function run(services: CommandServices, context: CommandContext, command: SandboxCommand): Promise<void> {
  return commit(services, context, async (within) => {
    await execute(services, within, sandboxAggregate, SANDBOX_ENTITY, {
      part: `${command.type} ${command.tenantId}`,
      decide: (state) => decideSandbox(command, state),
    });
    return () => undefined;
  });
}
