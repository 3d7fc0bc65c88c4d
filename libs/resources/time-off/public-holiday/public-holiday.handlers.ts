import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changeHoliday, type HolidayChange } from '../settings/holiday-calendar.commands.js';
import type { HolidayCalendar } from '../settings/holiday-calendar.rules.js';

export class ChangePublicHoliday extends Command<HolidayCalendar> {
  constructor(
    readonly context: CommandContext,
    readonly change: HolidayChange,
  ) {
    super();
  }
}

@CommandHandler(ChangePublicHoliday)
export class ChangePublicHolidayHandler implements ICommandHandler<ChangePublicHoliday> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, change }: ChangePublicHoliday): Promise<HolidayCalendar> {
    return changeHoliday(this.services, context, change);
  }
}
