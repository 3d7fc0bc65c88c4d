import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { answering } from '#http/answering.js';
import type { Answer, Call } from '#http/call.js';
import { CallCommand } from '#http/operation.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changeTimeOffSettings } from './time-off-settings.commands.js';
import type { UpdateTimeOffSettingsRequest } from './time-off-settings.contract.js';
import { type TimeOffSettingsRow, timeOffSettingsTag } from './time-off-settings.queries.js';

export class ChangeTimeOffSettings extends CallCommand<Call<UpdateTimeOffSettingsRequest>> {}

@CommandHandler(ChangeTimeOffSettings)
export class ChangeTimeOffSettingsHandler implements ICommandHandler<ChangeTimeOffSettings> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call }: ChangeTimeOffSettings): Promise<Answer> {
    return answerWith(await changeTimeOffSettings(this.services, answering(call, answerWith), { ...call.body }, call.ifMatch));
  }
}

/** The settings with their entity tag. */
export function answerWith(row: TimeOffSettingsRow): Answer {
  return { data: row, entityTag: timeOffSettingsTag(row) };
}
