import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { LocalDate } from '#kernel/dates.js';
import { ResourceServices } from '#commands/resource-services.js';
import { PeopleWriter } from '../record/people-writer.js';
import { endBeforeErasure } from './end-before-erasure.js';
import { erasePerson, requestErasure, type ErasureRequest } from './erase-person.js';
import { type Erasure, findErasure } from './erasure-list.js';

/** Puts the erasure of a person on the list. The result is the listed one: the first request counts. */
export class RequestErasure extends Command<Erasure> {
  constructor(
    readonly context: CommandContext,
    readonly requested: ErasureRequest,
    /** The final day of an employment that has none; null to refuse it, see {@link endBeforeErasure}. */
    readonly endOn: LocalDate | null,
  ) {
    super();
  }
}

/** Performs an erasure that is on the list, see {@link erasePerson}. The result is the finished one. */
export class ErasePerson extends Command<Erasure> {
  constructor(
    readonly context: CommandContext,
    readonly erasure: Erasure,
  ) {
    super();
  }
}

@CommandHandler(RequestErasure)
class RequestErasureHandler implements ICommandHandler<RequestErasure> {
  constructor(
    private readonly services: ResourceServices,
    private readonly writer: PeopleWriter,
  ) {}

  async execute({ context, requested, endOn }: RequestErasure): Promise<Erasure> {
    const { services, writer } = this;
    const before = await findErasure(services.executor, context.organisationId, requested.person_id);
    // An interrupted erasure continues, and one of a list is repeated, whatever the state of the employment.
    const mayEnd = requested.requested_at === undefined && (before === null || endOn !== null);
    return requestErasure(services, context, requested, async () => {
      if (mayEnd) await endBeforeErasure({ store: services.store, writer }, context, requested.person_id, endOn);
    });
  }
}

@CommandHandler(ErasePerson)
class ErasePersonHandler implements ICommandHandler<ErasePerson> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, erasure }: ErasePerson): Promise<Erasure> {
    return erasePerson(this.services, context, erasure);
  }
}

/** The handlers of this file, for the resource. */
export const ERASURE_COMMAND_HANDLERS = [RequestErasureHandler, ErasePersonHandler];
