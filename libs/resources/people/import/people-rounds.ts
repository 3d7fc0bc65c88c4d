import { emailKey } from '#http/fields/email-address.js';
import type { Terms } from '../employment/timeline.js';
import { EmailReservations } from '../people/email-reservations.js';
import type { ImportSettings } from './import-settings.js';
import {
  confirmedHolders,
  type LoadedPerson,
  loadWhoMayBeNew,
  personKeys,
  type Reserved,
  reservePeople,
  storedRevisions,
  type StoredRevisions,
  type WantedAddress,
} from './import-streams.js';
import type { NamedReferences } from './named-references.js';
import type { ReadyRow } from './staged-people.js';
import { personAggregate } from '../person/person.decider.js';

/** Rows with the data that was looked up for them. */
export interface Round {
  readonly rows: readonly ReadyRow[];
  readonly loaded: ReadonlyMap<string, LoadedPerson>;
  readonly stored: (personId: string) => StoredRevisions;
  readonly keys: Map<string, Buffer>;
  /** The reservations of new addresses; null where another person has the address. */
  readonly reserved: ReadonlyMap<string, Reserved>;
  readonly termsOf: (row: ReadyRow) => Terms;
}

/** Looks up the data for deciding batches of rows, and reserves the new addresses. */
export class PeopleRounds {
  private readonly reservations: EmailReservations;

  constructor(
    private readonly settings: ImportSettings,
    private readonly references: NamedReferences,
  ) {
    this.reservations = new EmailReservations({ pool: settings.pool, eventStore: settings.services.store }, personAggregate.streamOf);
  }

  /** Looks up and reserves what deciding the rows needs. */
  async lookUp(rows: readonly ReadyRow[]): Promise<Round> {
    const { pool, services, context, dryRun } = this.settings;
    const { organisationId } = context;
    const ids = rows.map((row) => row.person_id);
    const [loaded, stored] = await Promise.all([
      loadWhoMayBeNew({ executor: pool, store: services.store }, organisationId, ids),
      storedRevisions(pool, organisationId, ids),
    ]);
    const isThere = (row: ReadyRow): boolean => loaded.get(row.person_id)!.identity.length > 0;
    const keys = await personKeys(
      pool,
      organisationId,
      rows.filter(isThere).map((row) => row.person_id),
    );
    const reserved = await this.reserve(
      rows
        .filter((row) => !isThere(row) || row.row.isRenamed)
        .map((row) => ({ personId: row.person_id, email: row.row.identity.work_email })),
    );
    for (const [personId, reservation] of reserved) if (reservation !== null) keys.set(personId, reservation.key);
    const named = await this.references.create(
      rows.map((row) => row.row.resolved),
      dryRun,
    );
    const termsOf = ({ row, manager_id: manager }: ReadyRow): Terms => ({
      ...named(row.resolved),
      ...(manager === null ? {} : { manager_id: manager }),
    });
    return { rows, loaded, stored, keys, reserved, termsOf };
  }

  /** A dry run reserves nothing, and only detects confirmed addresses. */
  private async reserve(wanted: readonly WantedAddress[]): Promise<ReadonlyMap<string, Reserved>> {
    const { pool, context, dryRun } = this.settings;
    if (!dryRun) return reservePeople(pool, this.reservations, context.organisationId, wanted);
    const holders = await confirmedHolders(
      pool,
      context.organisationId,
      wanted.map(({ email }) => emailKey(email)),
    );
    const taken = wanted.filter(({ personId, email }) => (holders.get(emailKey(email)) ?? personId) !== personId);
    return new Map(taken.map(({ personId }) => [personId, null]));
  }

  /** Releases the reservations of refused rows. */
  async release({ rows, reserved }: Round, isRefused: (line: number) => boolean): Promise<void> {
    const { organisationId } = this.settings.context;
    for (const { line, person_id: personId, row } of rows) {
      const reservation = isRefused(line) ? (reserved.get(personId) ?? null) : null;
      if (reservation !== null)
        await this.reservations.release({ organisationId, personId, email: row.identity.work_email, since: () => reservation.since });
    }
  }
}
