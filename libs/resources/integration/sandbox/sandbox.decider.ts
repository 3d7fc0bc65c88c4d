import { accept, type Decision, defineAggregate, type DomainEvent } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { unreachable } from '#kernel/unreachable.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type SandboxEvent =
  /** A tenant is about to be filled: from here on it is known, so that one that was left half done is found. */
  | DomainEvent<'SandboxPrepared', { tenant_id: string }>
  /** From here on sandbox keys of the organisation act for this tenant, and `opened_on` is the day its people's dates go by. */
  | DomainEvent<'SandboxOpened', { tenant_id: string; opened_on: LocalDate }>;

/** The sandbox of one organisation. */
export interface SandboxState {
  /** Null before the first tenant was opened. */
  readonly tenantId: string | null;
  readonly openedOn: LocalDate | null;
  /** Tenants before it, in their order: no key acts for them again, whatever is recorded of them. */
  readonly formerTenants: readonly string[];
  /** Tenants that were prepared since, and have not been opened. */
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

/** What a command records. A command that leads to the state it is in records nothing; only a prepared tenant can be opened. */
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
