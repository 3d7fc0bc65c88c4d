import type { CsvRow } from '#csv-import/csv-rows.js';
import { importEmploymentHistory } from '#people/import/history-import.js';
import type { ImportChange, ImportProblem } from '#csv-import/import-report.js';
import type { ImportSettings, MatchBy } from '#people/import/import-settings.js';
import { importPeople } from '#people/import/people-import.js';
import { readTimeline } from '#people/timeline/read-timeline.js';
import { contextOf, type World } from '../support/people/world.js';

/** What differs from an import of all that is good today. */
export interface ImportOptions {
  readonly dryRun?: boolean;
  readonly createMissing?: boolean;
  readonly today?: string;
  readonly effectiveDate?: string;
  readonly matchBy?: MatchBy;
}

export interface Counts {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly problems: readonly ImportProblem[];
}

const reported = new WeakMap<World, readonly ImportChange[]>();
const warned = new WeakMap<World, readonly ImportProblem[]>();

/** The warnings of the last import of a world. */
export const warningsOf = (world: World): readonly ImportProblem[] => warned.get(world)!;

/** What the last import of a world changed, as `subject field: before -> after from day`. */
export function changesOf(world: World): readonly string[] {
  const words = (value: string | null): string => value ?? 'none';
  return reported
    .get(world)!
    .map(
      ({ subject, field, before, after, effective_date: day }) =>
        `${subject} ${field}: ${words(before)} -> ${words(after)}${day === null ? '' : ` from ${day}`}`,
    );
}

const IMPORTS = { people: importPeople, history: importEmploymentHistory };

/** Imports lines of cells that hold no commas; the first is the header. */
export async function importLines(
  world: World,
  organisationId: string,
  kind: keyof typeof IMPORTS,
  lines: readonly string[],
  { dryRun = false, createMissing = false, today = '2026-01-01', effectiveDate, matchBy }: ImportOptions = {},
): Promise<Counts> {
  const { pool, eventStore, projector, mint } = world;
  const settings: ImportSettings = {
    pool,
    services: { store: eventStore, executor: pool, projector, mint },
    context: {
      ...contextOf(organisationId, { today }),
      actor: { type: 'operator', id: 'tester' } as const,
      idempotencyKey: null,
    },
    today: () => today,
    dryRun,
    createMissing,
    effectiveDate: effectiveDate ?? null,
    matchBy: matchBy ?? null,
    onRead: () => undefined,
    onSettled: () => undefined,
  };
  const report = await IMPORTS[kind](settings, rowsOf(lines));
  const { created, changed, unchanged, failed, problems, changes } = report;
  expect(created + changed + unchanged + failed).toBe(report.rows);
  reported.set(world, changes);
  warned.set(world, report.warnings);
  return { created, changed, unchanged, failed, problems };
}

async function* rowsOf(lines: readonly string[]): AsyncGenerator<CsvRow> {
  for (const [index, line] of lines.entries()) yield { line: index + 1, cells: line.split(',') };
}

/** Counts without problems: what is not named is 0. */
export function counts(some: Partial<Counts>): Counts {
  return { created: 0, changed: 0, unchanged: 0, failed: 0, problems: [], ...some };
}

export interface ImportedPerson {
  readonly person_id: string;
  readonly work_email: string;
  readonly manager_email: string | null;
  readonly status: string;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly job_title: string | null;
  readonly department: string | null;
  readonly display_name: string;
}

/** Everybody of the organisation, by e-mail address. */
export async function peopleOf(world: World, organisationId: string): Promise<ReadonlyMap<string, ImportedPerson>> {
  const { rows } = await world.pool.query<ImportedPerson>(
    `select p.person_id, p.work_email, m.work_email as manager_email, p.status, p.start_date, p.end_date, p.job_title, d.name as department, p.display_name
       from people p
       left join people m on m.organisation_id = p.organisation_id and m.person_id = p.manager_id
       left join org_units d on d.organisation_id = p.organisation_id and d.id = p.department_id
      where p.organisation_id = $1 and p.identity_revision is not null`,
    [organisationId],
  );
  return new Map(rows.map((row) => [row.work_email, row]));
}

/** The actions, days and reasons of a person's facts, in the order of recording. */
export async function factsOf(world: World, organisationId: string, email: string): Promise<readonly string[]> {
  const personId = (await peopleOf(world, organisationId)).get(email)!.person_id;
  const { rows } = await world.pool.query<{
    action: string;
    effective_from: string | null;
    correction_reason: string | null;
  }>(
    'select action, effective_from, correction_reason from employment_facts where organisation_id = $1 and person_id = $2 order by revision',
    [organisationId, personId],
  );
  return rows.map((row) =>
    [row.action, row.effective_from, row.correction_reason].filter((part) => part !== null).join(' '),
  );
}

/** Job titles over time as `from title`, gaps as `from -`. */
export async function titlesOf(world: World, organisationId: string, email: string): Promise<readonly string[]> {
  const personId = (await peopleOf(world, organisationId)).get(email)!.person_id;
  const {
    timeline: { segments },
  } = await readTimeline(
    { executor: world.pool, store: world.eventStore, projector: world.projector },
    { organisationId, personId },
    {},
  );
  return segments!.map(
    ({ effective_from: from, employed, job_title: title }) => `${from} ${employed ? (title ?? 'none') : '-'}`,
  );
}

/** How many events there are, and how many rows of anything that an import may reserve. */
export async function everythingWritten(world: World): Promise<unknown> {
  const { rows } = await world.pool.query(
    `select (select count(*) from events) as events, (select count(*) from people) as people, (select count(*) from person_keys) as keys,
            (select count(*) from work_email_reservations) as reservations, (select count(*) from org_units) as units`,
  );
  return rows[0];
}
