import { createHash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

type Executor = Pick<Pool, 'query'>;

const MINUTE_MILLISECONDS = 60_000;
/** How long a sign-in link is valid. */
export const LINK_MINUTES = 15;
/** How long a session lasts without requests. */
export const IDLE_MINUTES = 30;
/** The maximum duration of a session. */
export const SESSION_HOURS = 12;

/** The method of a sign-in. */
export type SignInMethod = 'link' | 'openid_connect';

/** The user of a session or a link. */
export interface UserPlace {
  readonly organisationId: string;
  readonly userId: string;
}

/** A new session. */
export interface StartedSession extends UserPlace {
  /** Shown once, as a cookie. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Returns a new token: 32 random bytes in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the SHA-256 of a token, which suffices for a random secret of this size. Only this hash is stored.
 */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Creates a sign-in link's token for a user, and revokes earlier ones: only the latest link works. */
export async function createSignInToken(
  executor: Executor,
  { organisationId, userId }: UserPlace,
  now: Date,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const token = newToken();
  const expiresAt = new Date(now.getTime() + LINK_MINUTES * MINUTE_MILLISECONDS);
  await executor.query(
    `with earlier as (delete from sign_in_links where organisation_id = $2 and user_id = $3)
     insert into sign_in_links (token_hash, organisation_id, user_id, expires_at) values ($1, $2, $3, $4)`,
    [hashToken(token), organisationId, userId, expiresAt],
  );
  return { token, expiresAt };
}

/**
 * Consumes a link's token and starts a session, atomically; null if the token is unknown, used, expired, or
 * its user may not sign in.
 */
export async function redeemSignInToken(
  executor: Executor,
  linkToken: string,
  now: Date,
): Promise<StartedSession | null> {
  const { token, values, expiresAt } = newSession(now);
  const { rows } = await executor.query<{ organisation_id: string; user_id: string }>({
    name: 'http-redeem-sign-in-link',
    text: `with used as (
             delete from sign_in_links l using users u
              where l.token_hash = $5 and l.expires_at > $2 and u.organisation_id = l.organisation_id and u.id = l.user_id and u.status = 'active'
             returning l.organisation_id, l.user_id)
           insert into user_sessions (token_hash, organisation_id, user_id, method, started_at, idle_until, expires_at)
           select $1::bytea, organisation_id, user_id, 'link', $2::timestamptz, $3::timestamptz, $4::timestamptz from used returning organisation_id, user_id`,
    values: [...values, hashToken(linkToken)],
  });
  const row = rows[0];
  return row === undefined ? null : { token, expiresAt, organisationId: row.organisation_id, userId: row.user_id };
}

/**
 * Records that a sign-in at the OpenID provider is finished, by its state. Returns false if any process has
 * recorded that before.
 *
 * @param expiresAt - the time at which the sign-in expires
 */
export async function useAttempt(executor: Executor, state: string, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await executor.query({
    name: 'http-finish-sign-in',
    text: 'insert into finished_sign_ins (state_hash, expires_at) values ($1, $2) on conflict do nothing',
    values: [hashToken(state), expiresAt],
  });
  return rowCount === 1;
}

/** Starts a session of an authenticated user. */
export async function startSession(
  executor: Executor,
  place: UserPlace,
  method: SignInMethod,
  now: Date,
): Promise<StartedSession> {
  const { token, values, expiresAt } = newSession(now);
  await executor.query({
    name: 'http-start-session',
    text: `insert into user_sessions (token_hash, started_at, idle_until, expires_at, organisation_id, user_id, method)
           values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [...values, place.organisationId, place.userId, method],
  });
  return { token, expiresAt, ...place };
}

/** Ends one session. */
export async function endSession(executor: Executor, tokenHash: Buffer): Promise<void> {
  await executor.query({
    name: 'http-end-session',
    text: 'delete from user_sessions where token_hash = $1',
    values: [tokenHash],
  });
}

/** Ends all sessions of a user, and revokes their links. Returns the number of ended sessions. */
export async function endSessionsOf(executor: Executor, { organisationId, userId }: UserPlace): Promise<number> {
  await executor.query('delete from sign_in_links where organisation_id = $1 and user_id = $2', [
    organisationId,
    userId,
  ]);
  const { rowCount } = await executor.query('delete from user_sessions where organisation_id = $1 and user_id = $2', [
    organisationId,
    userId,
  ]);
  return rowCount ?? 0;
}

/**
 * Removes expired sessions, links and finished sign-ins, and returns their number. The worker's retention
 * calls it.
 */
export async function purgeEndedSessions(executor: Executor, now: Date): Promise<number> {
  const links = await executor.query('delete from sign_in_links where expires_at <= $1', [now]);
  const sessions = await executor.query('delete from user_sessions where least(idle_until, expires_at) <= $1', [now]);
  const finished = await executor.query('delete from finished_sign_ins where expires_at <= $1', [now]);
  return (links.rowCount ?? 0) + (sessions.rowCount ?? 0) + (finished.rowCount ?? 0);
}

function newSession(now: Date): {
  readonly token: string;
  readonly expiresAt: Date;
  readonly values: readonly unknown[];
} {
  const token = newToken();
  const expiresAt = new Date(now.getTime() + SESSION_HOURS * 60 * MINUTE_MILLISECONDS);
  return { token, expiresAt, values: [hashToken(token), now, idleUntil(now), expiresAt] };
}

/** The end of a session that is used now, without another request. */
export function idleUntil(now: Date): Date {
  return new Date(now.getTime() + IDLE_MINUTES * MINUTE_MILLISECONDS);
}
