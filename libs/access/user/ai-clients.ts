import type { Migration } from '#database/migrations.js';
import { prepared, sql } from '#database/sql.js';
import { USER_TOKEN_PREFIX } from '#http/sessions/user-token.js';
import type { Executor } from '#projections/projection.js';
import { hashToken, newToken, type UserPlace } from '../authentication/sessions.js';

/** How long an AI client reads as its user, in days. */
export const AI_CLIENT_DAYS = 90;

/**
 * AI clients have sessions of their users, so that all that ends these ends theirs too. They last longer,
 * have an id and a name, and a bearer token in place of a cookie.
 */
export const AI_CLIENTS_MIGRATION: Migration = {
  version: 38,
  name: 'sessions of AI clients',
  sql: `
alter table user_sessions add column client_id text collate "C", add column client_name text;
alter table user_sessions drop constraint user_sessions_method_check;
alter table user_sessions add constraint user_sessions_method_check
  check (method in ('link', 'openid_connect') and client_id is null and client_name is null
    or method = 'ai_client' and client_id is not null and client_name is not null);
create unique index user_sessions_of_clients on user_sessions (organisation_id, client_id) where client_id is not null;
`,
};

/** The session of an AI client, without its token. */
export interface AiClient {
  readonly id: string;
  /** As the user named it. */
  readonly name: string;
  readonly user_id: string;
  /** The address of the user. */
  readonly email: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Starts the session of an AI client, and returns its token, which is shown once. */
export async function startAiClient(
  executor: Executor,
  { organisationId, userId }: UserPlace,
  { id, name }: Pick<AiClient, 'id' | 'name'>,
  now: Date,
): Promise<string> {
  const token = USER_TOKEN_PREFIX + newToken();
  const end = new Date(now.getTime() + AI_CLIENT_DAYS * DAY_MILLISECONDS);
  await executor.query(
    sql`insert into user_sessions
        (token_hash, organisation_id, user_id, method, started_at, idle_until, expires_at, client_id, client_name)
      values (${hashToken(token)}, ${organisationId}, ${userId}, 'ai_client', ${now}, ${end}, ${end}, ${id}, ${name})`,
  );
  return token;
}

const DAY_MILLISECONDS = 86_400_000;

const SELECT = `
select s.client_id as id, s.client_name as name, s.user_id, u.email, s.started_at as created_at, s.expires_at
  from user_sessions s join users u on u.organisation_id = s.organisation_id and u.id = s.user_id
 where s.organisation_id = $1 and s.client_id is not null`;

/**
 * The AI clients whose sessions have not ended, newest first: those of a user, or of all users of the
 * organisation if it is null.
 */
export async function listAiClients(
  executor: Executor,
  organisationId: string,
  userId: string | null,
  now: Date,
): Promise<readonly AiClient[]> {
  const { rows } = await executor.query<AiClient>({
    name: 'list-ai-clients',
    text: `${SELECT} and ($2::text is null or s.user_id = $2) and s.expires_at > $3 order by s.started_at desc, s.client_id`,
    values: [organisationId, userId, now],
  });
  return rows;
}

/** The AI client with this id; null if the organisation has none. */
export async function findAiClient(executor: Executor, organisationId: string, id: string): Promise<AiClient | null> {
  const { rows } = await executor.query<AiClient>({
    name: 'find-ai-client',
    text: `${SELECT} and s.client_id = $2`,
    values: [organisationId, id],
  });
  return rows[0] ?? null;
}

/** Ends the session of an AI client: its token no longer works. */
export async function endAiClient(executor: Executor, organisationId: string, id: string): Promise<void> {
  await executor.query(
    prepared(sql`delete from user_sessions where organisation_id = ${organisationId} and client_id = ${id}`),
  );
}
