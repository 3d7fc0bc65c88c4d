import type { Json } from '#kernel/json.js';
import { isLocalDate, type LocalDate } from '#kernel/dates.js';
import type { TimeOffStatus } from '#kernel/time-off-statuses.js';
import type { CategoryBalance } from '#time-off/balances/balance-shapes.js';
import { asOfProblem, readBalances } from '#time-off/balances/read-balances.js';
import { findTimeOff, listTimeOff } from '#time-off/records/read-time-off.js';
import { StepTimeOff, type TimeOffStep } from '#time-off/requests/request-time-off.js';
import { presentTimeOff } from '#time-off/requests/present-time-off.js';
import type { Call, Outcome } from '../declaration.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { countInWords } from '../count-in-words.js';
import { withInstallation } from '../installation.js';
import { limitOf, moreThan } from '../options.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

/** `workforce time-off approve`, `reject` and `cancel`. */
export function stepRecord(call: Call, step: TimeOffStep): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const row = await sendAsOperator(
      installation,
      organisation,
      (context) => new StepTimeOff(context, call.arguments[0]!, step, null),
    );
    const { start_date: start, end_date: end, status_code: status } = row;
    return {
      json: presentTimeOff(row) as unknown as Json,
      text: `The time off ${row.id} from ${start} to ${end} is ${status}.`,
    };
  });
}

/** `workforce time-off list`. */
export function listRecords({ options }: Call): Promise<Outcome> {
  const limit = limitOf(options);
  const [from, to] = [dayOf('--from', options['from']), dayOf('--to', options['to'])];
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const who = options['person'] as string | undefined;
    const personId = who === undefined ? null : (await requirePerson(pool, who, organisationId)).person_id;
    const filters = {
      from,
      to,
      status: (options['status'] as TimeOffStatus | undefined) ?? null,
      personId,
      categoryId: null,
    };
    const page = {
      organisationId,
      order: 'dates',
      filters,
      since: null,
      horizon: null,
      after: null,
      count: limit + 1,
    } as const;
    const found = await listTimeOff(pool, page);
    const records = found.slice(0, limit);
    const rows = records.map((one) => [
      one.id,
      one.display_name,
      one.category_label,
      one.start_date,
      one.end_date,
      String(one.total_days),
      one.status_code,
    ]);
    const table = textTable(['ID', 'PERSON', 'CATEGORY', 'FROM', 'TO', 'DAYS', 'STATUS'], rows);
    const isMore = found.length > limit;
    const rest = isMore ? moreThan(limit, 'record') : '';
    return {
      json: { time_off: records.map(presentTimeOff) as unknown as Json, has_more: isMore },
      text: `${table}${rest}`,
    };
  });
}

/** `workforce time-off show`. */
export function showRecord({ arguments: [id], options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const row = await findTimeOff(pool, organisationId, id!);
    if (row === null) throw new NotFoundError(`There is no time off ${id}: workforce time-off list shows it.`);
    const {
      display_name: name,
      category_label: category,
      start_date: start,
      end_date: end,
      status_code: status,
      total_days: total,
    } = row;
    const days = row.days.map(({ date, day_part: part, minutes, reason }) => [date, part, String(minutes), reason]);
    const text = `${category} of ${name}, ${start} to ${end}, ${status}: ${countInWords(total, 'day')}\n\n${textTable(['DATE', 'PART', 'MINUTES', 'REASON'], days)}`;
    return { json: presentTimeOff(row) as unknown as Json, text };
  });
}

/** `workforce time-off-balances show`. */
export function showBalances({ arguments: [who], options }: Call): Promise<Outcome> {
  const asOf = dayOf('--as-of', options['asOf']);
  const now = new Date();
  const problem = asOfProblem(asOf, now);
  if (problem !== null) throw new UsageError(`--as-of ${problem}.`);
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const { person_id: personId, display_name: name } = await requirePerson(pool, who!, organisationId);
    const read = (await readBalances(pool, { organisationId, personId, asOf, now }))!;
    const heading = ['CATEGORY', 'UNIT', 'ALLOWANCE', 'TAKEN', 'REMAINING', 'SCHEDULED', 'PENDING', 'AVAILABLE'];
    const table = textTable(heading, read.balances.map(balanceCells));
    const text = `Time off of ${name} at the end of ${read.as_of}\n\n${read.balances.length === 0 ? 'No category deducts from a balance.' : table}`;
    return { json: read as unknown as Json, text };
  });
}

/** In days where people count the category in days and the length of a day is known, else in minutes. */
function balanceCells(balance: CategoryBalance): readonly string[] {
  const isInDays = balance.unit === 'days' && balance.days !== null;
  const { taken, remaining, scheduled, pending, available } = isInDays ? balance.days! : balance;
  // To four decimals, as the API has days.
  const allowance = Math.round((taken + remaining) * 10_000) / 10_000;
  const amounts = [allowance, taken, remaining, scheduled, pending, available].map(String);
  return [balance.category.label, isInDays ? 'days' : balance.amounts_unit, ...amounts];
}

function dayOf(flag: string, option: unknown): LocalDate | null {
  if (option === undefined) return null;
  if (!isLocalDate(option)) throw new UsageError(`${flag} must be a date that exists, written YYYY-MM-DD.`);
  return option;
}
