import { ChangeWorkingPattern, CreateWorkingPattern } from '#organisation/working-pattern/working-pattern.api.js';
import {
  type PatternDay,
  WORKING_PATTERN,
  type WorkingPattern,
  type WorkingPatternRow,
  workingPatternTable,
} from '#organisation/working-pattern/working-pattern.js';
import { UsageError } from '../command-error.js';
import { namedOf, type NamedKind } from '../find-named.js';
import { lookedUp, required, text } from '../options.js';
import { optionsOf, resourceCommands } from '../resource-commands.js';
import { type Columns, tableOf } from '../text-table.js';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const DAYS =
  'all working days with minutes before and after noon, such as mon-thu=240+210,fri=240+0; 2.mon is a Monday of ' +
  'the second week';
const DAY_COLUMNS: Columns<PatternDay> = {
  WEEK: 'week',
  DAY: ({ weekday }) => WEEKDAYS[weekday - 1]!,
  MORNING: 'morning_minutes',
  AFTERNOON: 'afternoon_minutes',
};
const PATTERNS: NamedKind<WorkingPatternRow> = {
  noun: ['working pattern', 'working patterns'],
  list: 'working-patterns list',
  rows: (...of) => workingPatternTable.list(...of),
  namesOf: ({ label }) => [label],
};

const { list, show, create, update, step } = resourceCommands<WorkingPatternRow>({
  argument: { pattern: required(lookedUp('', 'id or label of the pattern', namedOf(PATTERNS))) },
  options: optionsOf(WORKING_PATTERN, { days: text('<days>', DAYS, daysOf) }),
  member: 'working_patterns',
  columns: {
    ID: 'id',
    LABEL: 'label',
    WEEKS: 'cycle_weeks',
    FROM: 'anchor_date',
    'MINUTES A WEEK': 'weekly_minutes',
    STATUS: ({ archived_at: archivedAt }) => (archivedAt === null ? 'active' : 'archived'),
  },
});

/** `workforce working-patterns …`. */
export const commands = {
  list: list('list all patterns, including archived ones', PATTERNS.rows),
  show: show('show a pattern with its days', ({ days }) => `\n\n${tableOf(DAY_COLUMNS, days)}`),
  create: create('create a pattern', (context, pattern: WorkingPattern) => new CreateWorkingPattern(context, pattern)),
  update: update(
    'change a pattern',
    (context, id, changes: Partial<WorkingPattern>) =>
      new ChangeWorkingPattern(context, id, { type: 'change', changes }, null),
  ),
  archive: step(
    'archive a pattern permanently: people who have it keep it',
    'Archived',
    (context, id) => new ChangeWorkingPattern(context, id, { type: 'archive' }, null),
  ),
};

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
