import { type JsonObject, namedFields } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import { nameKey } from '#kernel/names.js';
import {
  ChangeTimeOffCategory,
  CreateTimeOffCategory,
  findTimeOffCategoriesByLabels,
  type TimeOffCategoryInput,
} from '#time-off/category/time-off-category.api.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from '#time-off/category/time-off-category.js';
import type { TimeOffCategory } from '#time-off/category/time-off-category.rules.js';
import { dateIn } from '#kernel/dates.js';
import { ChangePublicHoliday } from '#time-off/public-holiday/public-holiday.api.js';
import { ChangeTimeOffSettings, type HolidayChange } from '#time-off/settings/time-off-settings.api.js';
import type { HolidayPart } from '#time-off/settings/holiday-calendar.js';
import { holidayCalendarBetween, type OrganisationHoliday } from '#time-off/settings/holiday-calendar.rules.js';
import { FIRST_HOLIDAY_YEAR, LAST_HOLIDAY_YEAR } from '#time-off/settings/public-holidays.js';
import { readTimeOffSettings, type TimeOffSettingsRow } from '#time-off/settings/time-off-settings.js';
import { DEFAULT_TIME_OFF_SETTINGS, type TimeOffSettings } from '#time-off/settings/time-off-settings.rules.js';
import type { Call, Outcome } from '../declaration.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { textOrNull, parseInteger, parseIntegerWithin } from '../options.js';
import { type CommandOf, sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';

/** `workforce time-off-categories list`. */
export function listCategories({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const found = await timeOffCategoryTable.list(pool, organisation.id);
    const rows = found.map((one) => [
      one.id,
      one.label,
      one.code ?? '',
      one.unit,
      minutes(one.annual_allowance_minutes),
      one.is_active ? 'active' : 'archived',
    ]);
    return {
      json: { categories: found.map(categoryJson) },
      text: textTable(['ID', 'LABEL', 'CODE', 'UNIT', 'ALLOWANCE', 'STATUS'], rows),
    };
  });
}

/** `workforce time-off-categories create`. */
export function createCategory(call: Call): Promise<Outcome> {
  const requested = categoryFields(call.options) as TimeOffCategoryInput;
  return recordCategory(call, (context) => new CreateTimeOffCategory(context, requested), 'Created');
}

/** `workforce time-off-categories update`. */
export function updateCategory(call: Call): Promise<Outcome> {
  const changes = categoryFields(call.options);
  requireSomething(changes);
  return recordCategory(call, ofNamed(call, { type: 'change', changes }), 'Changed');
}

/** `workforce time-off-categories archive`. */
export function archiveCategory(call: Call): Promise<Outcome> {
  return recordCategory(call, ofNamed(call, { type: 'archive' }), 'Archived');
}

/** `workforce time-off-settings show`. */
export function showSettings({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    return settingsOutcome(await readTimeOffSettings(pool, organisation.id));
  });
}

/** `workforce time-off-settings update`. */
export function setSettings(call: Call): Promise<Outcome> {
  const named = settingsFields(call.options);
  requireSomething(named);
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    return settingsOutcome(
      await sendAsOperator(installation, organisation, (context) => new ChangeTimeOffSettings(context, named, null)),
    );
  });
}

/** `workforce public-holidays list`. */
export function listHolidays({ options }: Call): Promise<Outcome> {
  const named = parseIntegerWithin('--year', options['year'], FIRST_HOLIDAY_YEAR, LAST_HOLIDAY_YEAR);
  return withInstallation(async ({ pool }) => {
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const settings = await readTimeOffSettings(pool, organisation.id);
    const year = named ?? dateIn(settings.time_zone, new Date()).slice(0, 4);
    const found = holidayCalendarBetween(settings, `${year}-01-01`, `${year}-12-31`);
    return holidaysOutcome(found.filter(({ isCounted }) => isCounted || options['all'] === true));
  });
}

/** `workforce public-holidays add`. */
export function addHoliday(call: Call): Promise<Outcome> {
  const { name, dayPart } = call.options as { readonly name: string; readonly dayPart: HolidayPart };
  return sayOfDay(call, { type: 'add', date: call.arguments[0]!, name, dayPart });
}

/** `workforce public-holidays remove`. */
export function removeHoliday(call: Call): Promise<Outcome> {
  return sayOfDay(call, { type: 'remove', date: call.arguments[0]! });
}

/** `workforce public-holidays restore`. */
export function restoreHoliday(call: Call): Promise<Outcome> {
  return sayOfDay(call, { type: 'restore', date: call.arguments[0]! });
}

/** Shows the calendar of the day after the change. */
function sayOfDay(call: Call, change: HolidayChange): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const calendar = await sendAsOperator(
      installation,
      organisation,
      (context) => new ChangePublicHoliday(context, change),
    );
    const found = holidayCalendarBetween(calendar, change.date, change.date);
    const outcome = holidaysOutcome(found);
    return found.length === 0 ? { ...outcome, text: `${change.date} is a working day.` } : outcome;
  });
}

function holidaysOutcome(found: readonly OrganisationHoliday[]): Outcome {
  const rows = found.map(({ date, dayPart, name, kind, isCounted }) => [
    date,
    dayPart,
    name,
    kind,
    isCounted ? 'free' : 'working day',
  ]);
  const holidays = found.map(({ date, name, region, dayPart, isSubstitute, kind, isCounted }) => ({
    date,
    name,
    region,
    day_part: dayPart,
    is_substitute: isSubstitute,
    kind,
    is_counted: isCounted,
  }));
  return { json: { holidays }, text: textTable(['DATE', 'PART', 'NAME', 'KIND', 'COUNTS AS'], rows) };
}

function recordCategory(call: Call, commandOf: CommandOf<TimeOffCategoryRow>, done: string): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const category = await sendAsOperator(installation, organisation, commandOf);
    return { json: categoryJson(category), text: `${done} ${category.label} (${category.id}).` };
  });
}

/** The command for the category that the operator named. */
function ofNamed(call: Call, change: ChangeTimeOffCategory['change']): CommandOf<TimeOffCategoryRow> {
  return async (context, executor) => {
    const id = await requireCategory(executor, context.organisationId, call.arguments[0]!);
    return new ChangeTimeOffCategory(context, id, change, null);
  };
}

/**
 * The id of the category that the operator named by id or label. An active category with that label comes
 * first.
 */
async function requireCategory(executor: Executor, organisationId: string, idOrLabel: string): Promise<string> {
  if ((await timeOffCategoryTable.find(executor, organisationId, idOrLabel)) !== null) return idOrLabel;
  const named = await findTimeOffCategoriesByLabels(executor, organisationId, [idOrLabel]);
  const first = named.get(nameKey(idOrLabel))?.[0];
  if (first === undefined)
    throw new NotFoundError(
      `There is no time-off category ${idOrLabel}: workforce time-off-categories list shows all.`,
    );
  return first.id;
}

function requireSomething(fields: object): void {
  if (Object.keys(fields).length === 0)
    throw new UsageError('Nothing to change: name at least one option; --help lists them.');
}

/** The fields that the operator named; an empty optional field means none. */
function categoryFields(options: Call['options']): Partial<TimeOffCategory> {
  return namedFields({
    label: options['label'],
    code: textOrNull(options['code']),
    colour: textOrNull(options['colour']),
    is_standard: yes(options['isStandard']),
    paid: yes(options['paid']),
    requires_approval: yes(options['requiresApproval']),
    unit: options['unit'],
    deducts_balance: yes(options['deductsBalance']),
    counts_public_holidays: yes(options['countsPublicHolidays']),
    annual_allowance_minutes: parseInteger(textOrNull(options['annualAllowanceMinutes'])),
    negative_balance_minutes: parseInteger(textOrNull(options['negativeBalanceMinutes'])),
  }) as Partial<TimeOffCategory>;
}

function settingsFields(options: Call['options']): Partial<TimeOffSettings> {
  return namedFields({
    leave_year_start: options['leaveYearStart'],
    accrual_method: options['accrualMethod'],
    accrual_rounding_minutes: parseInteger(options['accrualRoundingMinutes'] as string | undefined),
    carry_over_max_minutes: parseInteger(options['carryOverMaxMinutes'] as string | undefined),
    carry_over_expires_after_days: parseInteger(textOrNull(options['carryOverExpiresAfterDays'])),
    pending_counts: yes(options['pendingCounts']),
    holiday_region: textOrNull(options['holidayRegion']),
  }) as Partial<TimeOffSettings>;
}

function yes(option: unknown): boolean | undefined {
  return option === undefined ? undefined : option === 'yes';
}

function minutes(allowance: number | null): string {
  return allowance === null ? 'none' : `${allowance} min`;
}

function categoryJson({ created_at, updated_at, revision: _, versions: __, ...rest }: TimeOffCategoryRow): JsonObject {
  return { ...rest, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}

const SETTINGS = Object.keys(DEFAULT_TIME_OFF_SETTINGS) as readonly (keyof typeof DEFAULT_TIME_OFF_SETTINGS)[];

function settingsOutcome(row: TimeOffSettingsRow): Outcome {
  const settings = SETTINGS.map((name) => [name, row[name]] as const);
  const rows = settings.map(([name, value]) => [name, value === null ? 'never' : String(value)]);
  return {
    json: { ...Object.fromEntries(settings), updated_at: row.updated_at.toISOString() },
    text: textTable(['SETTING', 'VALUE'], rows),
  };
}
