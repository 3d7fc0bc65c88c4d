import { accept, type Decision, defineAggregate, type DomainEvent } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { unreachable } from '#kernel/unreachable.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type SandboxEvent =
  /** A tenant is about to be filled. The event makes it possible to find a tenant that was left incomplete. */
  | DomainEvent<'SandboxPrepared', { tenant_id: string }>
  /** From here on sandbox keys of the organisation act for this tenant. The dates of its people are relative to `opened_on`. */
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

/** What a command records. A command that would not change the state records nothing; only a prepared tenant can be opened. */
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
