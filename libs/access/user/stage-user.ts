import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import type { UnitContext } from '#commands/unit-of-work.js';
import { decideUser, userAggregate, type UserCommand } from './user.js';

/** Decides a command of a user, and adds its events to the unit of work. Throws `RejectedError`. */
export function stageUser(services: CommandServices, within: UnitContext, userId: string, command: UserCommand) {
  return execute(services, within, userAggregate, userId, {
    part: command.type,
    decide: (state) => decideUser(command, state),
  });
}
