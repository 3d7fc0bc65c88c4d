import type { Scope } from '#kernel/scopes.js';
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

/** A valid API key. */
export interface AuthenticatedKey {
  readonly keyId: string;
  readonly environment: KeyEnvironment;
  readonly scopes: ReadonlySet<Scope>;
  readonly organisation: KeyOrganisation;
  /** The organisation whose operator made the key: the same as `organisation.id` for a live key. */
  readonly ownerOrganisationId: string;
  /** Milliseconds since 1970; null for a key that does not expire. */
  readonly expiresAt: number | null;
}
