import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type Outcome, type UnitContext } from '#commands/unit-of-work.js';
import { RejectedError } from '#kernel/rejection.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';
import { actingIn, creatorChainOf, type Holder } from './creators.js';

/**
 * A caller who manages keys and users of an organisation: an API key or a user of it, or an operator, who may
 * grant everything.
 */
export interface Manager {
  /** The id of the key or the user; the login name of an operator. */
  readonly id: string;
  /**
   * The scopes that they may grant and act on: their own, and for a key also the current ones of its
   * creators.
   */
  readonly scopes: ReadonlySet<Scope>;
  /**
   * The expiry of the calling API key, or of a creator in its chain; null for a session and for a key that
   * does not expire.
   */
  readonly keyExpiresAt: Date | null;
}

/**
 * Commits the plan of the context's actor, who manages access, one at a time in an organisation: the actor's
 * scopes cannot be revoked meanwhile. Throws {@link RejectedError} if the actor or its creator no longer has
 * scopes.
 */
export function asManager<Result>(
  services: CommandServices,
  context: CommandContext,
  plan: (context: UnitContext, manager: Manager) => Promise<Outcome<Result>>,
): Promise<Result> {
  const { organisationId, actor } = context;
  return commit(services, context, async (within) => {
    await holdAccess(within);
    if (actor.type === 'operator') return plan(within, { id: actor.id, scopes: new Set(SCOPES), keyExpiresAt: null });
    return plan(within, managerOf(actor.id, actingIn(await creatorChainOf(services.executor, organisationId, actor))));
  });
}

/** Prevents concurrent changes of access to the organisation until the unit of work ends. */
export function holdAccess({ unit, organisationId }: UnitContext): Promise<void> {
  return unit.hold({ exclusive: [`access to ${organisationId}`] });
}

function managerOf(id: string, acting: readonly Holder[]): Manager {
  const [caller, ...creators] = acting;
  if (caller?.isActive !== true) throw denied(caller?.type ?? 'api_key', 'no longer has any scopes');
  const user = creators.at(-1);
  if (user?.type === 'user' && !user.isActive) {
    throw denied('api_key', 'was created by a user who can no longer sign in, and so may not manage access');
  }
  const scopes = caller.scopes.filter((scope) => creators.every((creator) => creator.scopes.includes(scope)));
  const ends = acting.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt.getTime()]));
  return { id, scopes: new Set(scopes), keyExpiresAt: ends.length === 0 ? null : new Date(Math.min(...ends)) };
}

/**
 * Throws {@link RejectedError} if an actor grants, or acts on, scopes that they lack: managing access must
 * not be a way to more scopes (OWASP API5:2023).
 */
export function refuseScopesBeyond(
  { scopes }: Pick<Manager, 'scopes'>,
  requested: readonly Scope[],
  field: string,
): void {
  const missing = requested.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  throw denied(field, `needs scopes that the caller, or the creator of the caller's key, lacks: ${missing.join(', ')}`);
}

/**
 * Throws {@link RejectedError} if a key that expires grants access without an end: that of a user, whose keys
 * could outlive it.
 */
export function refuseLastingAccess({ keyExpiresAt }: Pick<Manager, 'keyExpiresAt'>): void {
  if (keyExpiresAt === null) return;
  throw denied('api_key', 'expires, and so cannot grant lasting access: use a session, or a key that does not expire');
}

function denied(field: string, issue: string): RejectedError {
  return new RejectedError({
    kind: 'permission_denied',
    message: `The ${field} ${issue}.`,
    details: [{ field, issue }],
  });
}
