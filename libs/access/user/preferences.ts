import type { Migration } from '#database/migrations.js';
import { notFound, RejectedError } from '#kernel/rejection.js';
import { personKeyOf } from '#people/person/person-keys.js';
import { openJson, sealJson } from '#people/person/person-seal.js';
import type { Executor } from '#projections/projection.js';

/** The choices of a user in the console. */
export interface Preferences {
  /** Null for the language of the browser. */
  readonly language: string | null;
  readonly views: readonly SavedView[];
}

/** A state of a screen, such as a search with its filters, by the name that the user gave it. */
export interface SavedView {
  /** The list to which it belongs; each screen has one. */
  readonly list: string;
  readonly name: string;
  /** A query string. */
  readonly state: string;
}

const NO_PREFERENCES: Preferences = { language: null, views: [] };

/**
 * The choices of users are not facts of an organisation, so these rows are not events. A view may name a
 * person, so the choices are encrypted with the user's key.
 */
export const PREFERENCES_MIGRATION: Migration = {
  version: 36,
  name: 'preferences of users',
  sql: `
create table user_preferences (
  organisation_id text collate "C" not null,
  user_id text collate "C" not null,
  sealed text not null,
  primary key (organisation_id, user_id)
);
`,
};

/** Returns the choices of a user; the defaults before the first choice and after an erasure. */
export async function preferencesOf(executor: Executor, organisationId: string, userId: string): Promise<Preferences> {
  const { rows } = await executor.query<{ sealed: string }>({
    name: 'preferences-of-user',
    text: 'select sealed from user_preferences where organisation_id = $1 and user_id = $2',
    values: [organisationId, userId],
  });
  const key = rows[0] === undefined ? null : await personKeyOf(executor, organisationId, userId);
  return key === null ? NO_PREFERENCES : (openJson(rows[0]!.sealed, key) as unknown as Preferences);
}

/** Replaces the choices of a user. Throws {@link RejectedError}: the user was erased meanwhile. */
export async function savePreferences(
  executor: Executor,
  organisationId: string,
  userId: string,
  { language, views }: Preferences,
): Promise<void> {
  const key = await personKeyOf(executor, organisationId, userId);
  if (key === null) throw new RejectedError(notFound('user', 'there is no such user'));
  const chosen = { language, views: views.map(({ list, name, state }) => ({ list, name, state })) };
  await executor.query(
    `insert into user_preferences (organisation_id, user_id, sealed) values ($1, $2, $3)
     on conflict (organisation_id, user_id) do update set sealed = excluded.sealed`,
    [organisationId, userId, sealJson(chosen, key)],
  );
}
