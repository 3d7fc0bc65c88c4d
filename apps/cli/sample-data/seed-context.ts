import type { CommandContext } from '#commands/command-context.js';
import type { LocalDate } from '#kernel/dates.js';

/** A context for each thing that is made, named by what it is. */
export type ContextOf = (...seed: readonly string[]) => CommandContext;

/**
 * Contexts of the platform's own. Ids derive from the prefix and from what is made, so they are the same for
 * every run: of an operation that may be interrupted and done again.
 */
export function seedContexts(
  organisationId: string,
  today: LocalDate,
  prefix: readonly [actor: string, ...string[]],
): ContextOf {
  return (...seed) => ({
    organisationId,
    actor: { type: 'system', id: prefix[0] },
    requestId: null,
    idempotencyKey: [prefix[0], ...seed].join(' '),
    fingerprint: null,
    seed: [...prefix, ...seed],
    today,
  });
}

/** Those of the demo, whose ids differ from one installation to the next. */
export function demoContexts(organisationId: string, today: LocalDate): ContextOf {
  return seedContexts(organisationId, today, ['demo', organisationId]);
}
