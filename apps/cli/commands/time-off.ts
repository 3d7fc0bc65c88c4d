import { TIME_OFF_STATUSES } from '#kernel/time-off-statuses.js';
import { findTimeOff, listTimeOff } from '#time-off/records/read-time-off.js';
import { presentTimeOff } from '#time-off/requests/present-time-off.js';
import { StepTimeOff, type TimeOffStep } from '#time-off/requests/request-time-off.js';
import { command, type Entry } from '../command.js';
import { NotFoundError } from '../command-error.js';
import { countInWords } from '#kernel/count-in-words.js';
import { argument, choice, date, LIMIT, ORGANISATION, person } from '../options.js';
import { cutListOf, tableOf } from '../text-table.js';

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
      const columns = {
        ID: 'id',
        PERSON: 'display_name',
        CATEGORY: 'category_label',
        FROM: 'start_date',
        TO: 'end_date',
        DAYS: 'total_days',
        STATUS: 'status_code',
      } as const;
      return cutListOf(['time_off', 'record'], limit, found, columns, presentTimeOff);
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
