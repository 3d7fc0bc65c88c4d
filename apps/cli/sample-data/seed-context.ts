import type { CommandContext } from '#commands/command-context.js';
import type { LocalDate } from '#kernel/dates.js';

/** A context for each thing that is made, named by what it is. */
export type ContextOf = (...seed: readonly string[]) => CommandContext;

/** Contexts whose ids are the same for every run: of an operation that may be interrupted and done again. */
export function seedContexts(organisationId: string, today: LocalDate): ContextOf {
  return (...seed) => ({
    organisationId,
    actor: { type: 'system', id: 'demo' },
    requestId: null,
    idempotencyKey: ['demo', ...seed].join(' '),
    fingerprint: null,
    seed: ['demo', organisationId, ...seed],
    today,
  });
}
