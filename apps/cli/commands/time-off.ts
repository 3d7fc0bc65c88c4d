import { TIME_OFF_STATUSES } from '#kernel/time-off-statuses.js';
import type { CategoryBalance } from '#time-off/balances/balance-shapes.js';
import { asOfProblem, readBalances } from '#time-off/balances/read-balances.js';
import { findTimeOff, listTimeOff } from '#time-off/records/read-time-off.js';
import { presentTimeOff } from '#time-off/requests/present-time-off.js';
import { StepTimeOff, type TimeOffStep } from '#time-off/requests/request-time-off.js';
import { command, type Entry } from '../command.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { countInWords } from '../count-in-words.js';
import { argument, choice, cutAt, date, LIMIT, ORGANISATION, person, required } from '../options.js';
import { tableOf } from '../text-table.js';

const RECORD = { record: argument('id of the time-off record') };

/** `workforce time-off …`: an administrator's decisions on requests. */
export const commands = {
  list: command({
    description: 'list time off in the order of its first days',
    options: {
      organisation: ORGANISATION,
      person: person('only of this person: id, work e-mail or staff id'),
      from: date('only what touches the days from here on, YYYY-MM-DD'),
      to: date('only what touches the days up to here, YYYY-MM-DD'),
      status: choice('<status>', 'only of this status', TIME_OFF_STATUSES),
      limit: LIMIT,
    },
    run: async ({ organisation, person: of, from = null, to = null, status = null, limit }, { pool }) => {
      const filters = { from, to, status, personId: of?.person_id ?? null, categoryId: null };
      const page = { organisationId: organisation.id, order: 'dates', filters, since: null } as const;
      const found = await listTimeOff(pool, { ...page, horizon: null, after: null, count: limit + 1 });
      const { items, isMore, rest } = cutAt(limit, found, 'record');
      const table = tableOf(
        {
          ID: 'id',
          PERSON: 'display_name',
          CATEGORY: 'category_label',
          FROM: 'start_date',
          TO: 'end_date',
          DAYS: 'total_days',
          STATUS: 'status_code',
        },
        items,
      );
      return { json: { time_off: items.map(presentTimeOff), has_more: isMore }, text: `${table}${rest}` };
    },
  }),
  show: command({
    description: 'show a record with its days',
    arguments: RECORD,
    options: { organisation: ORGANISATION },
    run: async ({ record: id, organisation }, { pool }) => {
      const row = await findTimeOff(pool, organisation.id, id);
      if (row === null) throw new NotFoundError(`There is no time off ${id}: workforce time-off list shows it.`);
      const { display_name: name, category_label: category, start_date: start, end_date: end } = row;
      const heading = `${category} of ${name}, ${start} to ${end}, ${row.status_code}: ${countInWords(row.total_days, 'day')}`;
      const days = tableOf({ DATE: 'date', PART: 'day_part', MINUTES: 'minutes', REASON: 'reason' }, row.days);
      return { json: presentTimeOff(row), text: `${heading}\n\n${days}` };
    },
  }),
  approve: step('approve', 'approve pending time off'),
  reject: step('reject', 'reject pending time off permanently'),
  cancel: step('cancel', 'cancel pending or approved time off permanently'),
};

/** `workforce time-off-balances …`. */
export const balanceCommands = {
  show: command({
    description: 'show what a person has left in each category that deducts from a balance',
    arguments: { person: required(person()) },
    options: { organisation: ORGANISATION, as_of: asOf() },
    run: async ({ organisation, person: of, as_of: day = null }, { pool }) => {
      const query = { organisationId: organisation.id, personId: of.person_id, asOf: day, now: new Date() };
      const read = (await readBalances(pool, query))!;
      const table = read.balances.length === 0 ? 'No category deducts from a balance.' : balanceTable(read.balances);
      return { json: read, text: `Time off of ${of.display_name} at the end of ${read.as_of}\n\n${table}` };
    },
  }),
};

function step(type: TimeOffStep, description: string): Entry {
  return command({
    description,
    arguments: RECORD,
    options: { organisation: ORGANISATION },
    run: async ({ record }, { send }) => {
      const row = await send((context) => new StepTimeOff(context, record, type, null));
      const { id, start_date: start, end_date: end, status_code: status } = row;
      return { json: presentTimeOff(row), text: `The time off ${id} from ${start} to ${end} is ${status}.` };
    },
  });
}

function asOf() {
  const parameter = date('as of the end of this day, YYYY-MM-DD (default: today)');
  const read: typeof parameter.read = (given, name) => {
    const valueOf = parameter.read(given, name);
    const problem = asOfProblem((given as string | undefined) ?? null, new Date());
    if (problem !== null) throw new UsageError(`${name} ${problem}.`);
    return valueOf;
  };
  return { ...parameter, read };
}

/** In days where people count the category in days and the length of a day is known, else in minutes. */
function balanceTable(balances: readonly CategoryBalance[]): string {
  const rows = balances.map(({ category, unit, amounts_unit, days, ...minutes }) => {
    const isInDays = unit === 'days' && days !== null;
    const amounts = isInDays ? days : minutes;
    // To four decimals, as the API has days.
    const allowance = Math.round((amounts.taken + amounts.remaining) * 10_000) / 10_000;
    return { ...amounts, allowance, category: category.label, unit: isInDays ? 'days' : amounts_unit };
  });
  return tableOf(
    {
      CATEGORY: 'category',
      UNIT: 'unit',
      ALLOWANCE: 'allowance',
      TAKEN: 'taken',
      REMAINING: 'remaining',
      SCHEDULED: 'scheduled',
      PENDING: 'pending',
      AVAILABLE: 'available',
    },
    rows,
  );
}
