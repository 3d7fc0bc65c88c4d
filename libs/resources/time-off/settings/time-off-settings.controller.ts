import { Controller, Get, Inject, Patch } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { TimeOffSettingsResponse, UpdateTimeOffSettingsRequest } from './time-off-settings.contract.js';
import { ChangeTimeOffSettings } from './time-off-settings.handlers.js';
import { readTimeOffSettings, type TimeOffSettingsRow, timeOffSettingsTag } from './time-off-settings.queries.js';

const COMMON = {
  tags: ['Time-off set-up'],
  response: TimeOffSettingsResponse,
  entityTag: true,
} as const;

@Controller('time-off/settings')
export class TimeOffSettingsController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'getTimeOffSettings',
    summary: 'Read the time-off settings',
    description: "The organisation's own settings, and the defaults for the rest.",
    scope: 'time_off:read',
    capability: 'time_off.settings.read',
  })
  async read(@Receive() call: Call): Promise<Answer> {
    return answerWith(await readTimeOffSettings(this.pool, call.key.organisation.id));
  }

  @Patch()
  @Operation({
    ...COMMON,
    operationId: 'updateTimeOffSettings',
    summary: 'Change the time-off settings',
    description:
      'A change applies from its day on and does not affect earlier days. A change that changes nothing records nothing. Emits time_off_settings.updated.',
    scope: 'time_off:config:write',
    capability: 'time_off.settings.update',
    body: UpdateTimeOffSettingsRequest,
    write: { ifMatch: 'honoured' },
  })
  update(@Receive() call: Call<UpdateTimeOffSettingsRequest>): Promise<Answer> {
    return send(this.commands, call, (context) => new ChangeTimeOffSettings(context, { ...call.body }, call.ifMatch), answerWith);
  }
}

/** The settings with their entity tag. */
function answerWith(row: TimeOffSettingsRow): Answer {
  return { data: row, entityTag: timeOffSettingsTag(row) };
}
