import { ERASED } from '#kernel/erasure.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import type { Migration } from '#database/migrations.js';
import { bumpAuthorisationVersion, FORGET_AUTHORISATIONS } from '#http/keys/authorisation-version.js';
import { FINISHED_SIGN_INS_SCHEMA, USER_SESSIONS_SCHEMA } from '#http/sessions/sessions.sql.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { openJson } from '../../people/person/person-seal.js';
import { userAggregate, type UserEvent } from './user.decider.js';

/** Users, with their e-mail addresses while their keys exist. Authentication reads them together with a session. */
export const userProjection = oneRowProjection(userAggregate, {
  table: 'users',
  columns: ['email', 'role', 'status', 'issuer', 'subject_key', 'made_by_type', 'made_by_id', 'has_signed_in'],
  afterRebuild: FORGET_AUTHORISATIONS,
  sealed: { personOf: (stream) => partsOfStream(stream[0]!.stream).entityId, open: openUserEvent },
  row: ({ sealed: email, role, status, identity, hasSignedIn }, stream) => ({
    // The key is destroyed after the event: until then it opens the address.
    email: status === 'erased' ? ERASED : email,
    role,
    status,
    issuer: identity?.issuer ?? null,
    subject_key: identity?.subject_key ?? null,
    made_by_type: stream[0]!.metadata.actor.type,
    made_by_id: stream[0]!.metadata.actor.id,
    has_signed_in: hasSignedIn,
  }),
});

/** The event with the address in place of what is sealed; without the key, after erasure, it reads `[erased]`. */
export function openUserEvent({ type, data }: DomainEvent, key: Buffer | null): UserEvent {
  const { sealed } = data;
  if (typeof sealed !== 'string') return { type, data } as UserEvent;
  return { type, data: { ...data, sealed: key === null ? ERASED : openJson(sealed, key) } } as UserEvent;
}

export const USERS_MIGRATION: Migration = {
  version: 7,
  name: 'users and their sessions',
  sql: `
create table users (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  email text not null,
  role text not null,
  status text not null,
  issuer text,
  subject_key text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index users_of_provider on users (organisation_id, subject_key) where subject_key is not null;
${bumpAuthorisationVersion('users')}
${USER_SESSIONS_SCHEMA}`,
};

/** Users from before count as having signed in: it was not recorded. */
export const SIGN_INS_MIGRATION: Migration = {
  version: 21,
  name: 'first and finished sign-ins',
  sql: `alter table users add column has_signed_in boolean not null default true;\n${FINISHED_SIGN_INS_SCHEMA}`,
};
