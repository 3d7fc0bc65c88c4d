import type { Executor } from '#projections/projection.js';
import type { WorkingPattern } from './working-pattern.decider.js';

/** A row of `working_patterns`. */
export interface WorkingPatternRow extends WorkingPattern {
  readonly id: string;
  readonly revision: number;
  readonly weekly_minutes: number;
  readonly archived_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const READ = `select id, revision, label, cycle_weeks, anchor_date, days, weekly_minutes, archived_at, created_at, updated_at
  from working_patterns where organisation_id = $1`;

/** All working patterns of an organisation, the archived ones included, by label. */
export async function listWorkingPatterns(executor: Executor, organisationId: string): Promise<readonly WorkingPatternRow[]> {
  const { rows } = await executor.query<WorkingPatternRow>({
    name: 'list-working-patterns',
    text: `${READ} order by name_key, id`,
    values: [organisationId],
  });
  return rows;
}

/** The working pattern; null where this organisation has none of this id. */
export async function findWorkingPattern(
  executor: Executor,
  organisationId: string,
  workingPatternId: string,
): Promise<WorkingPatternRow | null> {
  const { rows } = await executor.query<WorkingPatternRow>({
    name: 'find-working-pattern',
    text: `${READ} and id = $2`,
    values: [organisationId, workingPatternId],
  });
  return rows[0] ?? null;
}

/** The entity tag of a working pattern. */
export function workingPatternTag({ revision }: Pick<WorkingPatternRow, 'revision'>): string {
  return `r${revision}`;
}
