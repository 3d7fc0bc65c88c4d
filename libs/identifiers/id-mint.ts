import { createHmac, timingSafeEqual } from 'node:crypto';
import { ID_PREFIXES, type IdKind, PERSON_ID_ALPHABET } from '#kernel/identifier.js';
import { lengthPrefixed } from './length-prefixed.js';
import { isSandboxTenant, SANDBOX_ID_KEY, SANDBOX_SUBJECT } from './sandbox-tenant.js';

const IDENTITY_BYTES = 12;
const SEAL_BYTES = 9;

/**
 * The kinds of ids that differ in each sandbox tenant, so that receivers of webhooks, which deduplicate by
 * id, treat the events of a refreshed sandbox as new.
 */
const UNIQUE_IN_EVERY_TENANT: ReadonlySet<IdKind> = new Set<IdKind>(['webhook', 'webhookDelivery', 'event']);

/**
 * Creates ids and recognises its own. Ids derive from a seed (an idempotency key, a natural key, or
 * randomness), so that a retry creates the same ones; they are authenticated with the installation's key for
 * one kind and one organisation, so that an invented or foreign id is refused before any look-up
 * (docs/reference/http.md). Sandbox tenants are the exception: their ids are the same in all of them, and in
 * every installation (docs/reference/sandbox.md).
 */
export class IdMint {
  /** @param key at least 32 bytes, the same for every process of the installation and for its whole life. */
  constructor(private readonly key: Buffer) {
    if (key.length < 32) throw new RangeError('the id key needs at least 32 bytes');
  }

  /** An opaque id: the prefix of its kind and three base64url segments. */
  prefixed(kind: IdKind, organisationId: string, ...seed: readonly string[]): string {
    const subject = UNIQUE_IN_EVERY_TENANT.has(kind) ? organisationId : subjectOf(organisationId);
    const identity = this.digest(organisationId, 'identity', kind, subject, ...seed)
      .subarray(0, IDENTITY_BYTES)
      .toString('base64url');
    return `${ID_PREFIXES[kind]}${identity.slice(0, 8)}.${identity.slice(8)}.${this.seal(kind, organisationId, identity)}`;
  }

  /**
   * Whether this text is an id of this kind that was created for this organisation. An organisation's own id
   * belongs to ''.
   */
  owns(kind: IdKind, organisationId: string, id: string): boolean {
    const prefix = ID_PREFIXES[kind];
    if (!id.startsWith(prefix)) return false;
    const segments = id.slice(prefix.length).split('.');
    if (segments.length !== 3 || segments[0]!.length !== 8 || segments[1]!.length !== 8) return false;
    const expected = Buffer.from(this.seal(kind, organisationId, segments[0]! + segments[1]!));
    const given = Buffer.from(segments[2]!);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  /**
   * A person id: 12 characters, unpredictable without the key, different in each organisation (contract part
   * 1).
   */
  person(organisationId: string, ...seed: readonly string[]): string {
    const bytes = this.digest(organisationId, 'person', subjectOf(organisationId), ...seed);
    let id = '';
    for (let index = 0; index < 12; index += 1) id += PERSON_ID_ALPHABET[bytes[index]! & 31];
    return id;
  }

  /** The id of the person whom a request with this seed creates. */
  newPerson(organisationId: string, seed: readonly string[]): string {
    return this.person(organisationId, ...seed, 'person');
  }

  /**
   * The public id of an organisation: a sandbox tenant's own id changes with each refresh, and is never
   * public.
   */
  publicOrganisation(organisationId: string): string {
    return isSandboxTenant(organisationId) ? this.prefixed('organisation', organisationId) : organisationId;
  }

  private seal(kind: IdKind, organisationId: string, identity: string): string {
    return this.digest(organisationId, 'seal', kind, subjectOf(organisationId), identity)
      .subarray(0, SEAL_BYTES)
      .toString('base64url');
  }

  private digest(organisationId: string, ...parts: readonly string[]): Buffer {
    return createHmac('sha256', isSandboxTenant(organisationId) ? SANDBOX_ID_KEY : this.key)
      .update(lengthPrefixed(parts))
      .digest();
  }
}

function subjectOf(organisationId: string): string {
  return isSandboxTenant(organisationId) ? SANDBOX_SUBJECT : organisationId;
}
