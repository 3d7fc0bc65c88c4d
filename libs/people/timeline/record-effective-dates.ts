import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK } from '#commands/injection-tokens.js';
import type { Clock } from '#kernel/clock.js';
import { ResourceServices } from '#commands/resource-services.js';
import { runEffectiveDateJob, runEffectiveDateJobOfOrganisation } from './effective-date-job.js';

/**
 * Records the changes of employment that take effect today, and projects them, see {@link
 * runEffectiveDateJob}. The result is the number of people.
 */
export class RecordEffectiveDates extends Command<number> {
  constructor(
    /** Null for all organisations. */
    readonly organisationId: string | null = null,
  ) {
    super();
  }
}

@CommandHandler(RecordEffectiveDates)
export class RecordEffectiveDatesHandler implements ICommandHandler<RecordEffectiveDates> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ organisationId }: RecordEffectiveDates): Promise<number> {
    const { executor: pool, store: eventStore, projector } = this.services;
    const parts = { pool, eventStore, projector, clock: this.clock };
    return organisationId === null
      ? runEffectiveDateJob(parts)
      : runEffectiveDateJobOfOrganisation(parts, organisationId);
  }
}
