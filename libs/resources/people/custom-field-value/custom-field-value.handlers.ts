import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { answering } from '#http/answering.js';
import type { Answer, Call } from '#http/call.js';
import { CallCommand } from '#http/operation.js';
import { requireIfMatch } from '#http/headers/write-headers.js';
import { assertMatches } from '#commands/handle-command.js';
import { found } from '#kernel/rejection.js';
import { ResourceServices } from '../../services/resource-services.js';
import type { PersonParameters } from '../person/person.contract.js';
import { setCustomFieldValues } from './custom-field-value.commands.js';
import type { UpdatePersonCustomFieldsRequest } from './custom-field-value.contract.js';
import { answerWith, valuesTag } from './custom-field-value.presenter.js';
import { findPersonValues, type PersonValues } from './custom-field-value.queries.js';

export class UpdatePersonCustomFields extends CallCommand<Call<UpdatePersonCustomFieldsRequest, unknown, PersonParameters>> {}

@CommandHandler(UpdatePersonCustomFields)
export class UpdatePersonCustomFieldsHandler implements ICommandHandler<UpdatePersonCustomFields> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call }: UpdatePersonCustomFields): Promise<Answer> {
    const { scopes } = call.key;
    const present = (values: PersonValues): Answer => answerWith(values, scopes);
    const context = answering(call, present);
    const known = found(await findPersonValues(this.services.executor, context.organisationId, call.parameters.personId));
    const command = { values: call.body.values, writer: { type: 'api_key', scopes } } as const;
    const after = await setCustomFieldValues(this.services, context, known, command, (current) =>
      assertMatches(requireIfMatch(call), valuesTag(current, scopes)),
    );
    return present(after);
  }
}

/** The handlers of this file, for the module. */
export const CUSTOM_FIELD_VALUE_COMMAND_HANDLERS = [UpdatePersonCustomFieldsHandler];
