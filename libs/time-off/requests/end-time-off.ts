import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK } from '#commands/injection-tokens.js';
import type { Clock } from '#kernel/clock.js';
import { ResourceServices } from '#commands/resource-services.js';
import { endTimeOffOfLeavers } from './ending.js';

/**
 * Ends time off on days without employment, in all organisations, see {@link endTimeOffOfLeavers}. The result is the
 * number of people.
 */
export class EndTimeOffOfLeavers extends Command<number> {}

@CommandHandler(EndTimeOffOfLeavers)
export class EndTimeOffOfLeaversHandler implements ICommandHandler<EndTimeOffOfLeavers> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute(): Promise<number> {
    const { store, executor, projector } = this.services;
    return endTimeOffOfLeavers({ store, executor, projector, clock: this.clock });
  }
}
