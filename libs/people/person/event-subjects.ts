import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import { type Actor, categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Executor } from '#projections/projection.js';
import type { NamedActorResponse } from '#http/actor.js';
import { STREAMS_OF_PEOPLE } from './streams-of-person.js';

/** Categories of streams that belong to a person and are encrypted with their key. */
const OWNED: ReadonlySet<string> = new Set(['document', 'provider-mapping', 'write-proposal']);

/** The actors that have a name besides their id. */
const NAMED: ReadonlySet<string> = new Set(['api_key', 'user']);

/**
 * The people concerned by events of an organisation, their keys, and the names of actors: fetched on demand,
 * once each.
 */
export class EventSubjects {
  private readonly keys = new Map<string, Buffer | null>();
  private readonly names = new Map<string, string>();
  /**
   * The person to whom a document, a provider mapping or a write proposal belongs, by stream: not every event
   * names the person.
   */
  private readonly owners = new Map<string, string>();

  constructor(
    private readonly executor: Executor,
    private readonly organisationId: string,
  ) {}

  /**
   * Records the owners of streams. Must be called with the first event of a stream before a later one is
   * looked up.
   */
  note(events: readonly RecordedEvent[]): void {
    for (const { stream, data } of events)
      if (OWNED.has(categoryOf(stream)) && typeof data['person_id'] === 'string')
        this.owners.set(stream, data['person_id']);
  }

  /** The person concerned by a stream; null if there is none. */
  personOf(stream: string): string | null {
    return (
      this.owners.get(stream) ?? (STREAMS_OF_PEOPLE.has(categoryOf(stream)) ? partsOfStream(stream).entityId : null)
    );
  }

  /** The key that decrypts an event; null after an erasure, and if it was not fetched. */
  keyOf({ stream }: RecordedEvent): Buffer | null {
    return this.keys.get(this.subjectOf(stream)) ?? null;
  }

  /**
   * The name of an API key or the e-mail address of a user; null for other actors, and if it was not fetched.
   */
  nameOf({ id }: Actor): string | null {
    return this.names.get(id) ?? null;
  }

  /** An actor with their name, if it was fetched. */
  named(actor: Actor): NamedActorResponse {
    return { type: actor.type, id: actor.id, name: this.nameOf(actor) };
  }

  /** Fetches the keys that decrypt these events, for {@link keyOf}. */
  async readPersonKeys(events: readonly RecordedEvent[]): Promise<void> {
    const missing = [...new Set(events.map(({ stream }) => this.subjectOf(stream)))].filter((id) => !this.keys.has(id));
    const { organisationId } = this;
    const { rows } = await this.executor.query<{ person_id: string; key: Buffer | null }>(
      'select person_id, key from person_keys where organisation_id = $1 and person_id = any($2::text[])',
      [organisationId, missing],
    );
    for (const id of missing) this.keys.set(id, null);
    for (const { person_id: personId, key } of rows)
      this.keys.set(personId, await openPersonKey(this.executor, { organisationId, personId }, key));
  }

  /** Fetches the names of the actors and approvers of these events, for {@link nameOf}. */
  async readNames(events: readonly RecordedEvent[]): Promise<void> {
    const actors = events.flatMap(({ metadata: { actor, approval } }) => [
      actor,
      ...(approval === undefined ? [] : [approval.approved_by]),
    ]);
    const missing = actors.filter(({ id }) => !this.names.has(id));
    for (const [id, name] of await namesOfActors(this.executor, this.organisationId, missing)) this.names.set(id, name);
  }

  /** The owner of the key that encrypts a stream: the person, or the user or the proposal itself. */
  private subjectOf(stream: string): string {
    return this.owners.get(stream) ?? partsOfStream(stream).entityId;
  }
}

/** The names of API keys and the e-mail addresses of users among these actors, by id. */
export async function namesOfActors(
  executor: Executor,
  organisationId: string,
  actors: readonly { readonly type: string; readonly id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(actors.filter(({ type }) => NAMED.has(type)).map(({ id }) => id))];
  if (ids.length === 0) return new Map();
  const { rows } = await executor.query<{ key_id: string; name: string }>(
    `select key_id, name from api_keys where key_id = any($1::text[])
     union all select id, email from users where organisation_id = $2 and id = any($1::text[])`,
    [ids, organisationId],
  );
  return new Map(rows.map(({ key_id: id, name }) => [id, name]));
}
