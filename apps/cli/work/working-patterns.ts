import type { CommandContext } from '#commands/command-context.js';
import { type JsonObject, namedFields } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import { nameKey } from '#kernel/names.js';
import {
  type PatternDay,
  type WorkingPattern,
  type WorkingPatternRow,
  workingPatternTable,
} from '#organisation/working-pattern/working-pattern.js';
import { ChangeWorkingPattern, CreateWorkingPattern } from '#organisation/working-pattern/working-pattern.api.js';
import type { Call, Outcome } from '../declaration.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { parseInteger } from '../options.js';
import { type CommandOf, sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const CYCLE = { cycle_weeks: 1, anchor_date: '2024-01-01' };

/** `workforce working-patterns list`. */
export function listPatterns({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id } = await requireOrganisation(pool, options['organisation'] as string);
    const patterns = await workingPatternTable.list(pool, id);
    return { json: { working_patterns: patterns.map(patternJson) }, text: patternTable(patterns) };
  });
}

/** `workforce working-patterns show`. */
export function showPattern({ arguments: [which], options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id } = await requireOrganisation(pool, options['organisation'] as string);
    const pattern = await requirePattern(pool, id, which!);
    const days = pattern.days.map(({ week, weekday, morning_minutes: morning, afternoon_minutes: afternoon }) => [
      String(week),
      WEEKDAYS[weekday - 1]!,
      String(morning),
      String(afternoon),
    ]);
    const text = `${patternTable([pattern])}\n\n${textTable(['WEEK', 'DAY', 'MORNING', 'AFTERNOON'], days)}`;
    return { json: patternJson(pattern), text };
  });
}

/** `workforce working-patterns create`. */
export function createPattern(call: Call): Promise<Outcome> {
  const pattern = { ...CYCLE, ...fieldsOf(call.options) } as WorkingPattern;
  return record(call, 'Created', (context) => new CreateWorkingPattern(context, pattern));
}

/** `workforce working-patterns update`. */
export function updatePattern(call: Call): Promise<Outcome> {
  const changes = fieldsOf(call.options);
  if (Object.keys(changes).length === 0)
    throw new UsageError('Nothing to change: name at least one field; --help lists them.');
  return record(
    call,
    'Changed',
    async (context, executor) =>
      new ChangeWorkingPattern(context, await named(executor, context, call), { type: 'change', changes }, null),
  );
}

/** `workforce working-patterns archive`. */
export function archivePattern(call: Call): Promise<Outcome> {
  return record(
    call,
    'Archived',
    async (context, executor) =>
      new ChangeWorkingPattern(context, await named(executor, context, call), { type: 'archive' }, null),
  );
}

function record(call: Call, done: string, commandOf: CommandOf<WorkingPatternRow>): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const pattern = await sendAsOperator(installation, organisation, commandOf);
    return { json: patternJson(pattern), text: `${done} ${pattern.label} (${pattern.id}).` };
  });
}

async function named(executor: Executor, { organisationId }: CommandContext, call: Call): Promise<string> {
  return (await requirePattern(executor, organisationId, call.arguments[0]!)).id;
}

/** The pattern that the operator named by id or label; active ones come first. */
async function requirePattern(executor: Executor, organisationId: string, which: string): Promise<WorkingPatternRow> {
  const patterns = await workingPatternTable.list(executor, organisationId);
  const found = patterns.filter(({ id, label }) => id === which || nameKey(label) === nameKey(which));
  const pattern = found.find(({ archived_at: archivedAt }) => archivedAt === null) ?? found[0];
  if (pattern === undefined)
    throw new NotFoundError(`There is no working pattern ${which}: workforce working-patterns list shows all.`);
  return pattern;
}

/** The fields that the operator named. */
function fieldsOf(options: Call['options']): Partial<WorkingPattern> {
  const text = (name: string): string | undefined => options[name] as string | undefined;
  const days = text('days');
  const fields = {
    label: text('label'),
    cycle_weeks: parseInteger(text('cycleWeeks')),
    anchor_date: text('anchorDate'),
    days: days === undefined ? undefined : days.split(',').flatMap((part) => daysOf(part.trim().toLowerCase())),
  };
  return namedFields(fields) as Partial<WorkingPattern>;
}

/** `mon-fri=240+210`, `2.sat=240+0`. */
function daysOf(part: string): readonly PatternDay[] {
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

function patternTable(patterns: readonly WorkingPatternRow[]): string {
  const rows = patterns.map((one) => [
    one.id,
    one.label,
    String(one.cycle_weeks),
    one.anchor_date,
    String(one.weekly_minutes),
    one.archived_at === null ? 'active' : 'archived',
  ]);
  return textTable(['ID', 'LABEL', 'WEEKS', 'FROM', 'MINUTES A WEEK', 'STATUS'], rows);
}

function patternJson({ created_at, updated_at, archived_at, days, ...rest }: WorkingPatternRow): JsonObject {
  return {
    ...rest,
    days: days.map((day) => ({ ...day })),
    archived_at: archived_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
