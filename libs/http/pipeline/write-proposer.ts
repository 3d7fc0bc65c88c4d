import type { JsonObject } from '#kernel/json.js';
import type { TextValues } from '../fields/check.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { ProposalOptions } from '../operation.js';
import type { Route } from '../operations/route-table.js';

/** A write that a key asks for and a person has to approve. */
export interface WriteToPropose {
  readonly route: Route;
  readonly proposal: ProposalOptions;
  /** The route of the read that `proposal.reads` names; null where it names none. */
  readonly reads: Route | null;
  readonly key: AuthenticatedKey;
  readonly requestId: string;
  readonly address: () => string;
  readonly parameters: TextValues;
  /** Undefined for an operation without a body. */
  readonly body: JsonObject | undefined;
  /** The same for a repeat of the same wish: it then finds the proposal that it made. */
  readonly idempotencyKey: string;
  /** The name that the client gave itself; null where it gave none. */
  readonly client: string | null;
}

/** Makes proposals of writes: the port through which AI clients change something. */
export interface WriteProposer {
  /**
   * Decides the write against the current state without recording it, and records the proposal. Returns the
   * proposal's id. Throws what the pipeline turns into an error: what the write itself would be refused with,
   * and 409 for a write that would change nothing.
   */
  propose(requested: WriteToPropose): Promise<string>;

  /** Whether a proposal was made under the idempotency key of this wish: repeating it finds that proposal. */
  isProposed(requested: Pick<WriteToPropose, 'key' | 'idempotencyKey'>): Promise<boolean>;
}
