import type { CommandContext } from '#commands/command-context.js';
import type { AuthenticatedKey } from './keys/authenticated-key.js';
import type { Sight } from './sight.js';

/** The checked input of a controller. It is valid in every respect that can be checked without the domain. */
export interface Call<Body = undefined, Query = Record<string, never>, Parameters = Record<string, string>> {
  readonly requestId: string;
  readonly key: AuthenticatedKey;
  /** The people whom the caller may see: operations with `people` read through its `reader`. */
  readonly sight: Sight;
  /** Returns the address at which the caller reached this listener, such as `http://hr.example:3000`. */
  readonly address: () => string;
  /** Validated instances of the operation's classes; fields that the caller left out are absent. */
  readonly body: Body;
  readonly query: Query;
  readonly parameters: Parameters;
  /** Opaque tags of If-Match without their quotes; null if the header is absent. */
  readonly ifMatch: readonly string[] | null;
  /**
   * For writes, made by `WriteOpening` before the controller runs: the actor, the idempotency key, the seed
   * of ids, the receipt. Null for reads.
   */
  readonly command: CommandContext | null;
}

/** The result of a controller. The pipeline writes status, entity tags and envelope. */
export interface Answer {
  /** The operation's success status by default. */
  readonly status?: number;
  /**
   * The resource or the list of resources; absent for 204. Only the operation's response class serialises it.
   */
  readonly data?: unknown;
  /** For paginated lists: null on the last page. */
  readonly nextCursor?: string | null;
  /** Opaque, without quotes: sent as strong `Service-Resource-ETag` and weak `ETag`. */
  readonly entityTag?: string;
}
