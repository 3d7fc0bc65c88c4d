import type { LocalDate } from '#kernel/dates.js';
import type { CategoryBalance } from '#time-off/balances/balance-shapes.js';
import { asOfProblem, readBalances } from '#time-off/balances/read-balances.js';
import { command } from '../command.js';
import { UsageError } from '../command-error.js';
import { dateOf, ORGANISATION, person, required, text } from '../options.js';
import { tableOf } from '../text-table.js';

const AS_OF = text('<date>', 'as of the end of this day, YYYY-MM-DD (default: today)', asOf);

/** `workforce time-off-balances …`. */
export const commands = {
  show: command({
    description: 'show what a person has left in each category that deducts from a balance',
    arguments: { person: required(person()) },
    options: { organisation: ORGANISATION, as_of: AS_OF },
    run: async ({ organisation, person: of, as_of: day = null }, { pool }) => {
      const query = { organisationId: organisation.id, personId: of.person_id, asOf: day, now: new Date() };
      const read = (await readBalances(pool, query))!;
      const table = read.balances.length === 0 ? 'No category deducts from a balance.' : balanceTable(read.balances);
      return { json: read, text: `Time off of ${of.display_name} at the end of ${read.as_of}\n\n${table}` };
    },
  }),
};

function asOf(given: string, name: string): LocalDate {
  const day = dateOf(given, name);
  const problem = asOfProblem(day, new Date());
  if (problem !== null) throw new UsageError(`${name} ${problem}.`);
  return day;
}

/** In days if people count the category in days and the length of a day is known, otherwise in minutes. */
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
