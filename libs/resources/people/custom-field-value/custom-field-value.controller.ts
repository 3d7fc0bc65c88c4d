import { Controller, Get, Inject, Patch } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { found } from '#kernel/rejection.js';
import { PersonParameters } from '../person/person.contract.js';
import { PersonCustomFieldsResponse, UpdatePersonCustomFieldsRequest } from './custom-field-value.contract.js';
import { UpdatePersonCustomFields } from './custom-field-value.handlers.js';
import { answerWith } from './custom-field-value.presenter.js';
import { findPersonValues } from './custom-field-value.queries.js';

const COMMON = {
  tags: ['Custom fields'],
  parameters: PersonParameters,
  response: PersonCustomFieldsResponse,
  entityTag: true,
} as const;

@Controller('people/:personId/custom-fields')
export class CustomFieldValueController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'getPersonCustomFields',
    summary: "Read a person's custom fields",
    description:
      'Every visible field, null where the person has no value. Values of personal and demographic fields also need people:personal:read, those of payroll fields payroll_exports:read; without it they are left out. The values have an entity tag of their own.',
    scope: 'custom_fields:read',
    capability: 'people.custom_fields.read',
  })
  async read(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    const values = found(await findPersonValues(this.pool, call.key.organisation.id, call.parameters.personId));
    return answerWith(values, call.key.scopes);
  }

  @Patch()
  @Operation({
    ...COMMON,
    operationId: 'updatePersonCustomFields',
    summary: "Set or clear a person's custom fields",
    description:
      'All or nothing. A field that the API may not write or that does not exist is a 400; a field whose values the key may not read is a 403. A change that changes nothing records nothing. Emits no event.',
    scope: 'custom_fields:write',
    capability: 'people.custom_fields.update',
    body: UpdatePersonCustomFieldsRequest,
    write: { ifMatch: 'required', receipt: 'sealed' },
    errors: ['conflict'],
  })
  update(@Receive() call: Call<UpdatePersonCustomFieldsRequest, unknown, PersonParameters>): Promise<Answer> {
    const { scopes } = call.key;
    return send(
      this.commands,
      call,
      (context) => new UpdatePersonCustomFields(context, call.parameters.personId, call.body.values, scopes, call.ifMatch),
      (values) => answerWith(values, scopes),
    );
  }
}
