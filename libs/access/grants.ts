import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type Outcome, type UnitContext } from '#commands/unit-of-work.js';
import { RejectedError } from '#kernel/rejection.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';
import { actingIn, creatorChainOf, type Holder } from './creators.js';

/**
 * A caller who manages keys and users of an organisation: an API key or a user of it, or an operator, who may
 * give everything.
 */
export interface Manager {
  /** Of the key or the user; of an operator the login name. */
  readonly id: string;
  /** What they may give, and reach for: what they hold, and for a key also what its makers hold now. */
  readonly scopes: ReadonlySet<Scope>;
  /**
   * When the API key that manages expires, or a key that it goes back to; null for a session and for a key
   * that does not expire.
   */
  readonly keyExpiresAt: Date | null;
}

/**
 * Commits what the actor of the context, who manages access, plans, one at a time in an organisation: what
 * the actor holds cannot be taken away meanwhile. Throws {@link RejectedError} where the actor or their maker
 * holds nothing any more.
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

/** Keeps others from changing who has access to the organisation until the unit of work ends. */
export function holdAccess({ unit, organisationId }: UnitContext): Promise<void> {
  return unit.hold({ exclusive: [`access to ${organisationId}`] });
}

function managerOf(id: string, acting: readonly Holder[]): Manager {
  const [caller, ...makers] = acting;
  if (caller?.isActive !== true) throw denied(caller?.type ?? 'api_key', 'holds nothing any more');
  const user = makers.at(-1);
  if (user?.type === 'user' && !user.isActive) {
    throw denied('api_key', 'was made by a user who may not sign in any more, and so manages no access');
  }
  const scopes = caller.scopes.filter((scope) => makers.every((maker) => maker.scopes.includes(scope)));
  const ends = acting.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt.getTime()]));
  return { id, scopes: new Set(scopes), keyExpiresAt: ends.length === 0 ? null : new Date(Math.min(...ends)) };
}

/**
 * Throws {@link RejectedError} where somebody gives, or reaches for, scopes that they lack: access to the
 * management of access must not be a way to more scopes (OWASP API5:2023).
 */
export function refuseScopesBeyond(
  { scopes }: Pick<Manager, 'scopes'>,
  requested: readonly Scope[],
  field: string,
): void {
  const missing = requested.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  throw denied(field, `needs scopes that the caller, or who made the caller's key, lacks: ${missing.join(', ')}`);
}

/**
 * Throws {@link RejectedError} where a key that expires gives access that has no end: that of a user, whose
 * keys could outlive it.
 */
export function refuseLastingAccess({ keyExpiresAt }: Pick<Manager, 'keyExpiresAt'>): void {
  if (keyExpiresAt === null) return;
  throw denied('api_key', 'expires, and so gives no access that lasts: use a session, or a key that does not expire');
}

function denied(field: string, issue: string): RejectedError {
  return new RejectedError({
    kind: 'permission_denied',
    message: `The ${field} ${issue}.`,
    details: [{ field, issue }],
  });
}
