import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { PolicyPoint } from '#kernel/policy.js';

/**
 * The personal data of a person is erased. Policies remove the data of other contexts about the person; each
 * is safe to repeat.
 */
export const personErased = new PolicyPoint<[services: CommandServices, context: CommandContext, personId: string]>(
  'a person is erased',
);
