import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changeCustomField, createCustomField, type CustomFieldUpdate, type NewCustomField } from './custom-field.commands.js';
import type { CustomFieldRow } from './custom-field.table.js';

export class CreateCustomField extends Command<CustomFieldRow> {
  constructor(
    readonly context: CommandContext,
    readonly field: NewCustomField,
  ) {
    super();
  }
}

export class ChangeCustomField extends Command<CustomFieldRow> {
  constructor(
    readonly context: CommandContext,
    readonly customFieldId: string,
    readonly update: CustomFieldUpdate,
  ) {
    super();
  }
}

@CommandHandler(CreateCustomField)
class CreateCustomFieldHandler implements ICommandHandler<CreateCustomField> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, field }: CreateCustomField): Promise<CustomFieldRow> {
    return createCustomField(this.services, context, field);
  }
}

@CommandHandler(ChangeCustomField)
class ChangeCustomFieldHandler implements ICommandHandler<ChangeCustomField> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, customFieldId, update }: ChangeCustomField): Promise<CustomFieldRow> {
    return changeCustomField(this.services, context, customFieldId, update);
  }
}

/** The handlers of this file, for the resource. */
export const CUSTOM_FIELD_COMMAND_HANDLERS = [CreateCustomFieldHandler, ChangeCustomFieldHandler];
