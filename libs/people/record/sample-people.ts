import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { requirePersonKey } from '../person/person-keys.js';
import type { Identity } from '../person/person.js';
import { ResourceServices } from '#commands/resource-services.js';
import { type EmploymentRequest, type NewPerson, PeopleWriter } from './people-writer.js';
import type { References } from './references.js';

/**
 * Sample people are created in any order, a manager perhaps later than their reports, so references of their
 * terms are not looked up. These commands are for sample data only.
 */
const NO_REFERENCES: References = new Map();

/** Records a sample person. The result is their id. */
export class CreateSamplePerson extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly person: NewPerson,
  ) {
    super();
  }
}

/** Records a fact of a sample person's employment. The result is its id. */
export class RecordSampleFact extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly request: EmploymentRequest,
  ) {
    super();
  }
}

/** Changes the identity of a sample person, whatever its current state. */
export class ChangeSampleIdentity extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly identity: Identity,
  ) {
    super();
  }
}

@CommandHandler(CreateSamplePerson)
class CreateSamplePersonHandler implements ICommandHandler<CreateSamplePerson> {
  constructor(private readonly writer: PeopleWriter) {}

  execute({ context, person }: CreateSamplePerson): Promise<string> {
    return this.writer.create(context, person, NO_REFERENCES);
  }
}

@CommandHandler(RecordSampleFact)
class RecordSampleFactHandler implements ICommandHandler<RecordSampleFact> {
  constructor(private readonly writer: PeopleWriter) {}

  async execute({ context, personId, request }: RecordSampleFact): Promise<string> {
    const { state } = await this.writer.recordFact(context, personId, request, NO_REFERENCES, null);
    return state.facts.at(-1)!.factId;
  }
}

@CommandHandler(ChangeSampleIdentity)
class ChangeSampleIdentityHandler implements ICommandHandler<ChangeSampleIdentity> {
  constructor(
    private readonly services: ResourceServices,
    private readonly writer: PeopleWriter,
  ) {}

  async execute({ context, personId, identity }: ChangeSampleIdentity): Promise<void> {
    const key = await requirePersonKey(this.services.executor, context.organisationId, personId);
    await this.writer.changeIdentity(context, personId, key, identity, () => undefined);
  }
}

/** The handlers of this file, for the resource. */
export const SAMPLE_PEOPLE_HANDLERS = [CreateSamplePersonHandler, RecordSampleFactHandler, ChangeSampleIdentityHandler];
