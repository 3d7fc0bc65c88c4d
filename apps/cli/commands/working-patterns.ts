import { nameKey } from '#kernel/names.js';
import { ChangeWorkingPattern, CreateWorkingPattern } from '#organisation/working-pattern/working-pattern.api.js';
import {
  type PatternDay,
  WORKING_PATTERN,
  type WorkingPattern,
  type WorkingPatternRow,
  workingPatternTable,
} from '#organisation/working-pattern/working-pattern.js';
import { command } from '../command.js';
import { NotFoundError, UsageError } from '../command-error.js';
import type { Context, Outcome, Parameter, Scope } from '../declaration.js';
import { optionsOf, optionsOfNew, valuesOf } from '../field-options.js';
import { argument, NOTHING_TO_CHANGE, ORGANISATION, text } from '../options.js';
import { type Columns, listOf, tableOf } from '../text-table.js';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const DAYS =
  'working days with minutes before and after noon, such as mon-thu=240+210,fri=240+0; 2.mon is a Monday of the second week';
const PATTERN: Parameter<WorkingPatternRow> = {
  ...argument('id or label of the pattern'),
  read: (given) => (scope) => requirePattern(scope, given as string),
};
const COLUMNS: Columns<WorkingPatternRow> = {
  ID: 'id',
  LABEL: 'label',
  WEEKS: 'cycle_weeks',
  FROM: 'anchor_date',
  'MINUTES A WEEK': 'weekly_minutes',
  STATUS: ({ archived_at: archivedAt }) => (archivedAt === null ? 'active' : 'archived'),
};
const DAY_COLUMNS: Columns<PatternDay> = {
  WEEK: 'week',
  DAY: ({ weekday }) => WEEKDAYS[weekday - 1]!,
  MORNING: 'morning_minutes',
  AFTERNOON: 'afternoon_minutes',
};

/** `workforce working-patterns …`. */
export const commands = {
  list: command({
    description: 'list all patterns, including archived ones',
    options: { organisation: ORGANISATION },
    run: async ({ organisation }, { pool }) =>
      listOf('working_patterns', await workingPatternTable.list(pool, organisation.id), COLUMNS, present),
  }),
  show: command({
    description: 'show a pattern with its days',
    arguments: { pattern: PATTERN },
    options: { organisation: ORGANISATION },
    run: ({ pattern }) =>
      Promise.resolve({
        json: present(pattern),
        text: `${tableOf(COLUMNS, [pattern])}\n\n${tableOf(DAY_COLUMNS, pattern.days)}`,
      }),
  }),
  create: command({
    description: 'create a pattern',
    options: { organisation: ORGANISATION, ...optionsOfNew(WORKING_PATTERN, { days: text('<days>', DAYS, daysOf) }) },
    run: async (given, { send }) => {
      const pattern = { ...WORKING_PATTERN.initial, ...valuesOf(WORKING_PATTERN, given) } as WorkingPattern;
      return outcomeOf('Created', await send((context) => new CreateWorkingPattern(context, pattern)));
    },
  }),
  update: command({
    description: 'change a pattern',
    arguments: { pattern: PATTERN },
    options: {
      organisation: ORGANISATION,
      ...optionsOf(WORKING_PATTERN, { days: text('<days>', `${DAYS}; replaces all days`, daysOf) }),
    },
    changes: NOTHING_TO_CHANGE,
    run: (given, context) =>
      change(context, 'Changed', given.pattern, { type: 'change', changes: valuesOf(WORKING_PATTERN, given) }),
  }),
  archive: command({
    description: 'archive a pattern permanently: people who have it keep it',
    arguments: { pattern: PATTERN },
    options: { organisation: ORGANISATION },
    run: ({ pattern }, context) => change(context, 'Archived', pattern, { type: 'archive' }),
  }),
};

async function change(
  { send }: Context,
  done: string,
  { id }: WorkingPatternRow,
  requested: ChangeWorkingPattern['change'],
): Promise<Outcome> {
  return outcomeOf(done, await send((context) => new ChangeWorkingPattern(context, id, requested, null)));
}

function outcomeOf(done: string, pattern: WorkingPatternRow): Outcome {
  return { json: present(pattern), text: `${done} ${pattern.label} (${pattern.id}).` };
}

function present({ created_at, updated_at, archived_at, days, ...rest }: WorkingPatternRow): object {
  return { ...rest, days, archived_at, created_at, updated_at };
}

/** The pattern that the operator named by id or label; active ones come first. */
async function requirePattern({ pool, organisation }: Scope, which: string): Promise<WorkingPatternRow> {
  const patterns = await workingPatternTable.list(pool, organisation!.id);
  const found = patterns.filter(({ id, label }) => id === which || nameKey(label) === nameKey(which));
  const pattern = found.find(({ archived_at: archivedAt }) => archivedAt === null) ?? found[0];
  if (pattern === undefined)
    throw new NotFoundError(`There is no working pattern ${which}: workforce working-patterns list shows all.`);
  return pattern;
}

/** `mon-thu=240+210,fri=240+0`, `2.sat=240+0`. */
function daysOf(days: string): readonly PatternDay[] {
  return days.split(',').flatMap((part) => daysOfPart(part.trim().toLowerCase()));
}

function daysOfPart(part: string): readonly PatternDay[] {
  const [, week = '1', first = '', last = first, morning, afternoon] =
    /^(?:(\d+)\.)?([a-z]{3})(?:-([a-z]{3}))?=(\d+)\+(\d+)$/.exec(part) ?? [];
  const [from, to] = [first, last].map((day) => WEEKDAYS.indexOf(day as (typeof WEEKDAYS)[number])) as [number, number];
  if (morning === undefined || from === -1 || to < from)
    throw new UsageError(
      `--days takes days such as mon-fri=240+210 or 2.sat=240+0, separated by commas; ${part} is none.`,
    );
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    week: Number(week),
    weekday: from + index + 1,
    morning_minutes: Number(morning),
    afternoon_minutes: Number(afternoon),
  }));
}
