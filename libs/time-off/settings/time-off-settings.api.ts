import { Controller, Get, Inject, Patch } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { assertMatches, handleCommand } from '#commands/handle-command.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { DateTimeField, TextField } from '#http/fields.js';
import { answerFields, requestFields, shapeOf } from '#http/fields/plain-fields.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import type { LocalDate } from '#kernel/dates.js';
import { RejectedError } from '#kernel/rejection.js';
import { versionsOf } from '#projections/rule-versions.js';
import {
  decideHolidayCalendar,
  HOLIDAY_CALENDAR_ENTITY,
  holidayCalendarAggregate,
  type HolidayPart,
} from './holiday-calendar.js';
import { type HolidayCalendar, holidaysBetween } from './holiday-calendar.rules.js';
import { isHolidayRegion } from './public-holidays.js';
import {
  decideTimeOffSettings,
  readTimeOffSettings,
  SETTINGS_ENTITY,
  SETTINGS_VERSIONS,
  TIME_OFF_SETTINGS_SCHEMA,
  timeOffSettingsAggregate,
  type TimeOffSettingsEvent,
  timeOffSettingsProjection,
  type TimeOffSettingsRow,
  type TimeOffSettingsState,
  timeOffSettingsTag,
} from './time-off-settings.js';
import { settingsProblem, TIME_OFF_SETTINGS, type TimeOffSettings } from './time-off-settings.rules.js';

/** How time off is calculated in the organisation (decisions: "Time off"). */
class TimeOffSettingsResponse extends shapeOf<TimeOffSettings & { readonly updated_at: string }>({
  ...answerFields(TIME_OFF_SETTINGS, {
    holiday_region: TextField({
      description:
        'The region whose public holidays count: ISO 3166-1 alpha-2, or 3166-2 for a part of a country. Where none ' +
        "is set, the organisation's country.",
      example: 'GB-ENG',
    }),
  }),
  updated_at: DateTimeField(),
}) {}

class UpdateTimeOffSettingsRequest extends shapeOf<Partial<TimeOffSettings>>(requestFields(TIME_OFF_SETTINGS)) {}

/** An organisation's change of a day: it is free, a working day, or follows the library's calendar. */
export type HolidayChange =
  | { readonly type: 'add'; readonly date: LocalDate; readonly name: string; readonly dayPart: HolidayPart }
  | { readonly type: 'remove'; readonly date: LocalDate }
  | { readonly type: 'restore'; readonly date: LocalDate };

/**
 * Records a change of a day by the context's organisation, and returns the calendar after it. Records of time
 * off that were already counted keep their counts until they are changed. Throws `RejectedError`: a name or
 * date that is not valid, a removed day that is not a holiday.
 */
export function changeHoliday(
  services: CommandServices,
  context: CommandContext,
  change: HolidayChange,
): Promise<HolidayCalendar> {
  const { date } = change;
  return commit(services, context, async (within) => {
    const settings = await readTimeOffSettings(services.executor, context.organisationId);
    const { state } = await execute(services, within, holidayCalendarAggregate, HOLIDAY_CALENDAR_ENTITY, {
      decide: (current) => {
        if (change.type !== 'remove') return decideHolidayCalendar(change, current);
        const isHoliday = holidaysBetween({ ...settings, own_holidays: [] }, date, date).length > 0;
        return decideHolidayCalendar({ type: 'remove', date, isHoliday }, current);
      },
    });
    return () => ({ ...settings, own_holidays: [...state.days.values()] });
  });
}

/** Throws `RejectedError` for an invalid field, for callers that change another resource first. */
export function checkTimeOffSettings(named: Partial<TimeOffSettings>): void {
  const changes = TIME_OFF_SETTINGS.normalise(named);
  const rejection = settingsProblem(changes, isRegionKnown(changes));
  if (rejection !== null) throw new RejectedError(rejection);
}

/**
 * Changes any of the settings of the context's organisation; `ifMatch`: the entity tags that the caller
 * expects. Throws `RejectedError`, and 412 if the settings have another tag.
 */
export function changeTimeOffSettings(
  services: CommandServices,
  context: CommandContext,
  named: Partial<TimeOffSettings>,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffSettingsRow> {
  const changes = TIME_OFF_SETTINGS.normalise(named);
  return commit(services, context, async (within) => {
    const before = await readTimeOffSettings(services.executor, context.organisationId);
    const regionOf = ({ settings }: TimeOffSettingsState): string => settings.holiday_region ?? before.country_code;
    const result = await handleCommand<TimeOffSettingsState, TimeOffSettingsEvent>(services.store, within, {
      ...timeOffSettingsAggregate,
      stream: timeOffSettingsAggregate.streamOf(context.organisationId, SETTINGS_ENTITY),
      decide: (current, at) => {
        assertMatches(ifMatch, timeOffSettingsTag({ revision: at, holiday_region: regionOf(current) }));
        return decideTimeOffSettings({ type: 'change', changes, isRegionKnown: isRegionKnown(changes) }, current);
      },
      onConflict: ifMatch === null ? 'decide_again' : 'refuse',
    });
    return () => {
      const { state, events, revision } = result;
      const last = events.at(-1);
      return {
        ...before,
        ...state.settings,
        holiday_region: regionOf(state),
        own_holiday_region: state.settings.holiday_region,
        revision,
        versions: versionsOf(SETTINGS_VERSIONS, events),
        updated_at: last === undefined ? before.updated_at : new Date(last.recordedAt),
      };
    };
  });
}

function isRegionKnown({ holiday_region: region }: Partial<TimeOffSettings>): boolean {
  return typeof region === 'string' && isHolidayRegion(region);
}

export class ChangeTimeOffSettings extends Command<TimeOffSettingsRow> {
  constructor(
    readonly context: CommandContext,
    readonly named: Partial<TimeOffSettings>,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(ChangeTimeOffSettings)
class ChangeTimeOffSettingsHandler implements ICommandHandler<ChangeTimeOffSettings> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, named, ifMatch }: ChangeTimeOffSettings): Promise<TimeOffSettingsRow> {
    return changeTimeOffSettings(this.services, context, named, ifMatch);
  }
}

const COMMON = {
  tags: ['Time-off set-up'],
  response: TimeOffSettingsResponse,
  entityTag: true,
} as const;

@Controller('time-off/settings')
class TimeOffSettingsController {
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
      'A change applies from its day on and does not affect earlier days. A change that changes nothing records ' +
      'nothing. Emits time_off_settings.updated.',
    scope: 'time_off:config:write',
    capability: 'time_off.settings.update',
    body: UpdateTimeOffSettingsRequest,
    write: { ifMatch: 'honoured' },
  })
  update(@Receive() call: Call<UpdateTimeOffSettingsRequest>): Promise<Answer> {
    return send(
      this.commands,
      call,
      (context) => new ChangeTimeOffSettings(context, { ...call.body }, call.ifMatch),
      answerWith,
    );
  }
}

/** The settings with their entity tag. */
function answerWith(row: TimeOffSettingsRow): Answer {
  return { data: row, entityTag: timeOffSettingsTag(row) };
}

/** The settings from which an organisation's time off is calculated. */
export const timeOffSettingsResource = defineResource({
  area: 'time-off',
  aggregates: [timeOffSettingsAggregate],
  projections: [timeOffSettingsProjection],
  schema: TIME_OFF_SETTINGS_SCHEMA,
  controllers: [TimeOffSettingsController],
  handlers: [ChangeTimeOffSettingsHandler],
});
