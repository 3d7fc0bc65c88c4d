import { defineTable, type Stored } from '#projections/table.js';
import { nameKey } from '../../naming/name-key.js';
import { FORGET_NAMES } from '../../naming/reference-versions.js';
import { weeklyMinutes, type WorkingPattern, workingPatternAggregate } from './working-pattern.decider.js';

type Columns = WorkingPattern & { readonly weekly_minutes: number; readonly archived_at: Date | null };

/** A row of `working_patterns`. */
export type WorkingPatternRow = Stored<Columns>;

/** Working patterns, the archived ones included. */
export const workingPatternTable = defineTable<Columns>()(workingPatternAggregate, {
  name: 'working_patterns',
  columns: { label: 'value', cycle_weeks: 'value', anchor_date: 'value', days: 'list', weekly_minutes: 'value', archived_at: 'time' },
  row: ({ pattern }, stream) => ({
    ...pattern,
    weekly_minutes: weeklyMinutes(pattern),
    archived_at: stream.find(({ type }) => type === 'WorkingPatternArchived')?.recordedAt ?? null,
  }),
  lookUps: { name_key: ({ label }) => nameKey(label) },
  naming: { column: 'label', isArchived: 'archived_at is not null' },
  order: 'name_key, id',
  afterRebuild: FORGET_NAMES,
});
