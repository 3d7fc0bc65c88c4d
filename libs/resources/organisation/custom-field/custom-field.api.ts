import { defineResource } from '../../resource.js';
import { CUSTOM_FIELD_COMMAND_HANDLERS } from './custom-field.handlers.js';
import { CUSTOM_FIELDS_SCHEMA, customFieldTable } from './custom-field.table.js';
import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { CustomFieldResponse } from './custom-field.contract.js';
import { presentCustomField } from './custom-field.presenter.js';
import { listCustomFields } from './custom-field.table.js';

@Controller('custom-fields')
class CustomFieldController {
  constructor(@Inject(DATABASE_POOL) private readonly pool: Pool) {}

  @Get()
  @Operation({
    operationId: 'listCustomFields',
    summary: 'List the custom fields',
    description:
      'By display_order, then by key, all on one page; hidden ones are left out. Custom fields are managed in the product settings, never through the API.',
    tags: ['Custom fields'],
    scope: 'custom_fields:read',
    capability: 'custom_fields.list',
    response: CustomFieldResponse,
    responseKind: 'list',
  })
  async list(@Receive() call: Call): Promise<Answer> {
    return { data: (await listCustomFields(this.pool, call.key.organisation.id, 'visible')).map(presentCustomField) };
  }
}

/** Custom fields of an organisation. Operators manage them on the command line; the API shows them. */
export const customFieldResource = defineResource({
  area: 'organisation',
  tables: [customFieldTable],
  schema: CUSTOM_FIELDS_SCHEMA,
  controllers: [CustomFieldController],
  handlers: CUSTOM_FIELD_COMMAND_HANDLERS,
});
