import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { requireMatch } from '#commands/handle-command.js';
import { found } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';
import { ResourceServices } from '../../services/resource-services.js';
import { setCustomFieldValues } from './custom-field-value.commands.js';
import type { SetValues } from './custom-field-value.decider.js';
import { valuesTag } from './custom-field-value.presenter.js';
import { findPersonValues, type PersonValues } from './custom-field-value.queries.js';

export class UpdatePersonCustomFields extends Command<PersonValues> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly values: SetValues['values'],
    /** Of the caller: they decide which fields may be set, and which the entity tag covers. */
    readonly scopes: ReadonlySet<Scope>,
    /** The entity tags that the caller expects; a command without any is refused. */
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

/** What an operator sets, whatever its sensitivity: the last command wins. */
export class SetPersonCustomFields extends Command<PersonValues> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly values: SetValues['values'],
  ) {
    super();
  }
}

@CommandHandler(UpdatePersonCustomFields)
export class UpdatePersonCustomFieldsHandler implements ICommandHandler<UpdatePersonCustomFields> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, personId, values, scopes, ifMatch }: UpdatePersonCustomFields): Promise<PersonValues> {
    const known = found(await findPersonValues(this.services.executor, context.organisationId, personId));
    const command = { values, writer: { type: 'api_key', scopes } } as const;
    return setCustomFieldValues(this.services, context, known, command, (current) => requireMatch(ifMatch, valuesTag(current, scopes)));
  }
}

@CommandHandler(SetPersonCustomFields)
export class SetPersonCustomFieldsHandler implements ICommandHandler<SetPersonCustomFields> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, personId, values }: SetPersonCustomFields): Promise<PersonValues> {
    const known = found(await findPersonValues(this.services.executor, context.organisationId, personId));
    return setCustomFieldValues(this.services, context, known, { values, writer: { type: 'operator' } });
  }
}

/** The handlers of this file, for the module. */
export const CUSTOM_FIELD_VALUE_COMMAND_HANDLERS = [UpdatePersonCustomFieldsHandler, SetPersonCustomFieldsHandler];
