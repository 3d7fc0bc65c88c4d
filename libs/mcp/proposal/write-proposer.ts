import type { JsonObject } from '#kernel/json.js';
import type { TextValues } from '#http/fields/check.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { ProposalOptions } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';

/** A write that a key requests and a person has to approve. */
export interface WriteToPropose {
  readonly route: Route;
  readonly proposal: ProposalOptions;
  /** The route of the read that `proposal.reads` names; null if it names none. */
  readonly reads: Route | null;
  readonly key: AuthenticatedKey;
  readonly requestId: string;
  readonly address: () => string;
  readonly parameters: TextValues;
  /** Undefined for an operation without a body. */
  readonly body: JsonObject | undefined;
  /** Equal for repeats of the same request, which then find the existing proposal. */
  readonly idempotencyKey: string;
  /** The name that the client reported; null if it reported none. */
  readonly client: string | null;
}

/** Creates proposals of writes: the port through which AI clients make changes. */
export interface WriteProposer {
  /**
   * Decides the write against the current state without recording it, and stores the proposal. Returns the
   * proposal's id. Throws errors that the pipeline maps to responses: the write's own refusals, and 409 for a
   * write without a change.
   */
  propose(requested: WriteToPropose): Promise<string>;

  /** Whether a proposal exists under this idempotency key: a repeated request finds it. */
  isProposed(requested: Pick<WriteToPropose, 'key' | 'idempotencyKey'>): Promise<boolean>;
}
