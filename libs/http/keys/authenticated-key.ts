import type { Scope } from '#kernel/scopes.js';
import type { Role } from '#kernel/roles.js';
import type { KeyEnvironment, Plan } from '#kernel/tenancy.js';

/** The organisation that a key acts for: its own, or the synthetic tenant for a sandbox key. */
export interface KeyOrganisation {
  readonly id: string;
  readonly plan: Plan;
  readonly writesApproved: boolean;
  /** IANA name; it determines the current date of this organisation. */
  readonly timeZone: string;
  /** The ids of operations that AI clients run without asking a person. */
  readonly directOperations: ReadonlySet<string>;
}

/** The session of a user who has signed in. */
export interface AuthenticatedSession {
  readonly role: Role;
  /** The person with whom the user is linked; null if there is none. */
  readonly personId: string | null;
  /** Milliseconds since 1970 at which an unused session ends. Each use may extend it. */
  idleUntil: number;
}

/** A valid API key, or a user's session, which has the scopes of the user's role. */
export interface AuthenticatedKey {
  /** The id of the key or of the user, who owns budgets and receipts. */
  readonly keyId: string;
  /** The actor of every event that a request with this key causes. */
  readonly actor: { readonly type: 'api_key' | 'user'; readonly id: string };
  /** Null for an API key. */
  readonly session: AuthenticatedSession | null;
  readonly environment: KeyEnvironment;
  readonly scopes: ReadonlySet<Scope>;
  readonly organisation: KeyOrganisation;
  /** The organisation whose operator made the key: the same as `organisation.id` for a live key. */
  readonly ownerOrganisationId: string;
  /** Milliseconds since 1970; null for a key that does not expire. A session always expires. */
  readonly expiresAt: number | null;
}

/** The store of keys and sessions. */
export interface KeyStore {
  /**
   * Returns the key or the session with this SHA-256 (hex), or null if there is none. The caller checks
   * whether it has expired. Throws the database's errors.
   */
  find(hash: string, kind: 'key' | 'session'): Promise<AuthenticatedKey | null>;
  /** Returns whether a session is valid now, and extends it. */
  useSession(hash: string, session: AuthenticatedSession, now: Date): Promise<boolean>;
  /** Drops all cached entries, after a change of access. */
  drop(): void;
}
