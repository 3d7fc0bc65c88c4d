import type { Pool } from 'pg';
import type { Admission } from '#commands/command-context.js';
import type { JsonObject } from '#kernel/json.js';
import type { AuthenticatedSession, KeyOrganisation } from './keys/authenticated-key.js';
import type { PeopleAccess } from './people-access.js';

/** Runs the statements of a read. */
export type Reader = Pick<Pool, 'query'>;

/** Ids of an admitted request, by the name of the field that has it. */
export type NamedIds = Readonly<Record<'people' | 'timeOff', readonly (readonly [field: string, id: string])[]>>;

/** The people whom a caller may see, during one request. */
export interface Sight {
  /**
   * Runs the reads of the request. For a role by relation, the statements find only rows of people in sight.
   * This is the second check, after that of ids (`openSight`).
   */
  readonly reader: Reader;
  /** Returns the fields with ids of people out of sight; null for a caller who sees all people. */
  readonly hidden: ((ids: NamedIds) => Promise<ReadonlySet<string>>) | null;
  /**
   * Keeps the relation to these people, which `hidden` reads, until a unit of work ends; null for a caller
   * who sees everybody.
   */
  readonly hold: ((ids: NamedIds, ...unit: Parameters<Admission>) => Promise<void>) | null;
}

/** The part of a key, a session or a user's link that determines whom the caller may see. */
export interface Onlooker {
  readonly session: Pick<AuthenticatedSession, 'role' | 'personId'> | null;
  readonly organisation: Pick<KeyOrganisation, 'id' | 'timeZone'>;
}

/** Makes the sight of each request. */
export interface Sights {
  /**
   * `key`: null on a public endpoint. `query`: the checked query; `as_of` and `known_at` determine the day
   * that it reads.
   */
  of(key: Onlooker | null, people: PeopleAccess | undefined, query: JsonObject): Sight;
}
