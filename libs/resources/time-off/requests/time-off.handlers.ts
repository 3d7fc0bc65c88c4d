import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { answering } from '#http/answering.js';
import type { Answer, Call } from '#http/call.js';
import { CallCommand } from '#http/operation.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changeTimeOff, requestTimeOff, stepTimeOff, type TimeOffStep } from './time-off.commands.js';
import type { CreateTimeOffRequest, TimeOffParameters, TimeOffResponse, UpdateTimeOffRequest } from '../records/time-off.contract.js';
import { type TimeOffRow, timeOffTag } from '../records/time-off.queries.js';

export class CreateTimeOff extends CallCommand<Call<CreateTimeOffRequest>> {}
export class UpdateTimeOff extends CallCommand<Call<UpdateTimeOffRequest, unknown, TimeOffParameters>> {}
export class StepTimeOff {
  constructor(
    readonly call: Call<undefined, unknown, TimeOffParameters>,
    readonly step: TimeOffStep,
  ) {}
}

@CommandHandler(CreateTimeOff)
export class CreateTimeOffHandler implements ICommandHandler<CreateTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call }: CreateTimeOff): Promise<Answer> {
    return answerWith(await requestTimeOff(this.services, answering(call, answerWith), call.body));
  }
}

@CommandHandler(UpdateTimeOff)
export class UpdateTimeOffHandler implements ICommandHandler<UpdateTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call }: UpdateTimeOff): Promise<Answer> {
    return answerWith(await changeTimeOff(this.services, answering(call, answerWith), call.parameters.timeOffId, call.body, call.ifMatch));
  }
}

@CommandHandler(StepTimeOff)
export class StepTimeOffHandler implements ICommandHandler<StepTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call, step }: StepTimeOff): Promise<Answer> {
    return answerWith(await stepTimeOff(this.services, answering(call, answerWith), call.parameters.timeOffId, step, call.ifMatch));
  }
}

/** The handlers of this file, for the module. */
export const TIME_OFF_COMMAND_HANDLERS = [CreateTimeOffHandler, UpdateTimeOffHandler, StepTimeOffHandler];

/** A record with its entity tag. */
export function answerWith(row: TimeOffRow): Answer {
  return { data: presentTimeOff(row), entityTag: timeOffTag(row) };
}

/** A record as answers show it. */
export function presentTimeOff(row: TimeOffRow): TimeOffResponse {
  return {
    id: row.id,
    person: { id: row.person_id, display_name: row.display_name },
    category: { id: row.category_id, label: row.category_label },
    start_date: row.start_date,
    end_date: row.end_date,
    start_day_part: row.start_day_part,
    end_day_part: row.end_day_part,
    days: row.days,
    total_minutes: row.total_minutes,
    total_days: row.total_days,
    // The label of the dictionary `GET /reference/time-off-statuses`.
    status: row.status_code.charAt(0).toUpperCase() + row.status_code.slice(1),
    status_code: row.status_code,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
