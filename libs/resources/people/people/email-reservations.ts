import { emailKey } from '#http/fields/email-address.js';
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { openPersonKey, storingPersonKeys } from '#database/key-rings/person-key-seal.js';
import { type EventStore, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { DecidedError } from '#commands/dry-run.js';
import { IdempotencyMismatchError } from '#commands/idempotency-errors.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import { evolvePerson, initialPerson, type PersonState } from '../person/person.decider.js';
import { ERASED_ISSUE, openPersonEvent, PERSON_KEY_BYTES } from '../person/person-seal.js';

/** The age at which a reservation that led to no person may be taken over: no command runs as long. */
export const STALE_RESERVATION = '5 minutes';

/** An e-mail address that a command has reserved for a person. */
export interface Reservation {
  readonly organisationId: string;
  readonly personId: string;
  readonly email: string;
  /** When the address was reserved; null where the command has not reserved it yet. */
  readonly since: () => string | null;
}

/**
 * Keeps e-mail addresses unique within an organisation, across streams: an address is reserved before the append and
 * confirmed when the person's stream is projected.
 */
export class EmailReservations {
  /** @param streamOf - the name of a person's stream */
  constructor(
    private readonly parts: { readonly pool: Pool; readonly eventStore: EventStore },
    private readonly streamOf: (organisationId: string, personId: string) => string,
  ) {}

  /**
   * Reserves the address for this person before the append. Returns the key of their personal data, and the time since which the address is
   * theirs. Throws {@link RejectedError}: another person has the address, or the person's data was erased (when a creation is repeated).
   */
  async reserve(organisationId: string, personId: string, email: string): Promise<{ readonly key: Buffer; readonly since: string }> {
    const place = { organisationId, personId };
    for (;;) {
      const { rows } = await storingPersonKeys(this.parts.pool, (wrap) =>
        this.parts.pool.query<{ holder: string; holder_is_stale: boolean; person_key: Buffer | null; since: string }>({
          name: 'reserve-person',
          text: 'select * from reserve_person($1, $2, $3, $4, $5::interval)',
          values: [organisationId, personId, emailKey(email), wrap(place, randomBytes(PERSON_KEY_BYTES)), STALE_RESERVATION],
        }),
      );
      const reservation = rows[0];
      // Another command released the address between the two steps of the function.
      if (reservation === undefined) continue;
      if (reservation.person_key === null) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
      if (reservation.holder === personId)
        return { key: await openPersonKey(this.parts.pool, place, reservation.person_key), since: reservation.since };
      const isFree = reservation.holder_is_stale && (await this.takeOver(organisationId, reservation.holder, personId, email));
      if (!isFree) throw new RejectedError(conflict('work_email', 'another person of the organisation has this e-mail address'));
    }
  }

  /**
   * The same for a new person. Where another person has the address by now and an earlier attempt of the creation was recorded, nothing is
   * reserved (`since` is null): the creation finds its events.
   */
  async reserveForCreation(
    organisationId: string,
    personId: string,
    email: string,
  ): Promise<{ readonly key: Buffer; readonly since: string | null }> {
    try {
      return await this.reserve(organisationId, personId, email);
    } catch (error) {
      if (!(error instanceof RejectedError)) throw error;
      const events = await this.parts.eventStore.readStream(this.streamOf(organisationId, personId), { limit: 1 });
      const key = events.length === 0 ? null : await this.keyOf(organisationId, personId);
      if (key === null) throw error;
      return { key, since: null };
    }
  }

  /** Releases the address when the command is refused or only tried; after an unknown outcome the address stays reserved. */
  async releasingOnRejection<T>(reservation: Reservation, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isRefusal =
        error instanceof RejectedError ||
        error instanceof WrongExpectedRevisionError ||
        error instanceof IdempotencyMismatchError ||
        error instanceof DecidedError;
      if (isRefusal) await this.release(reservation);
      throw error;
    }
  }

  /** Takes over a stale reservation, unless its holder's stream uses the address after all. */
  private async takeOver(organisationId: string, holder: string, personId: string, email: string): Promise<boolean> {
    if (await this.uses(organisationId, holder, email)) return false;
    const { rowCount } = await this.parts.pool.query(
      `update work_email_reservations set person_id = $3, reserved_at = clock_timestamp()
        where organisation_id = $1 and email_key = $2 and person_id = $4 and not is_confirmed
          and reserved_at < clock_timestamp() - $5::interval`,
      [organisationId, emailKey(email), personId, holder, STALE_RESERVATION],
    );
    return rowCount === 1;
  }

  /** Releases an address, unless the person uses it by now, or another of their commands has reserved it since. */
  async release({ organisationId, personId, email, since }: Reservation): Promise<void> {
    const reservedAt = since();
    if (reservedAt === null || (await this.uses(organisationId, personId, email))) return;
    await this.parts.pool.query(
      `delete from work_email_reservations
        where organisation_id = $1 and email_key = $2 and person_id = $3 and not is_confirmed and reserved_at = $4::timestamptz`,
      [organisationId, emailKey(email), personId, reservedAt],
    );
  }

  /** Whether the person has this address according to their own stream. */
  private async uses(organisationId: string, personId: string, email: string): Promise<boolean> {
    const events = await this.parts.eventStore.readStream(this.streamOf(organisationId, personId));
    if (events.length === 0) return false;
    const key = await this.keyOf(organisationId, personId);
    const state = events.reduce<PersonState>((folded, event) => evolvePerson(folded, openPersonEvent(event, key)), initialPerson);
    return state.status === 'recorded' && emailKey(state.identity.work_email) === emailKey(email);
  }

  /** The key of the person's personal data; null after erasure, or where there is no such person. */
  private async keyOf(organisationId: string, personId: string): Promise<Buffer | null> {
    const { rows } = await this.parts.pool.query<{ key: Buffer | null }>(
      'select key from person_keys where organisation_id = $1 and person_id = $2',
      [organisationId, personId],
    );
    return openPersonKey(this.parts.pool, { organisationId, personId }, rows[0]?.key ?? null);
  }
}
