import type { CommandContext } from '#commands/command-context.js';
import type { AuthenticatedKey } from './keys/authenticated-key.js';

/** What a controller gets: everything checked that can be checked without the domain. */
export interface Call<Body = undefined, Query = Record<string, never>, Parameters = Record<string, string>> {
  readonly requestId: string;
  readonly key: AuthenticatedKey;
  /** Validated instances of the operation's classes; fields that the caller did not name are absent. */
  readonly body: Body;
  readonly query: Query;
  readonly parameters: Parameters;
  /** Opaque tags of If-Match without their quotes; null where the header is absent. */
  readonly ifMatch: readonly string[] | null;
  /** For writes: who, why and which ids, and the session that reads and records; null for reads. */
  readonly command: CommandContext | null;
}

/** What a controller gives back. The pipeline writes status, entity tags and envelope. */
export interface Answer {
  /** The operation's own success status where not given. */
  readonly status?: number;
  /** The resource, or the list of them; left out for 204. Serialised by the operation's response class alone. */
  readonly data?: unknown;
  /** For paginated lists: null on the last page. */
  readonly nextCursor?: string | null;
  /** Opaque, without quotes: sent as strong `Service-Resource-ETag` and weak `ETag`. */
  readonly entityTag?: string;
}
