import { defineTable, type Stored } from '#projections/table.js';
import { nameKey } from '../../naming/name-key.js';
import { noteChangesOfNames } from '../../naming/reference-versions.js';
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
});

/** `days` has the form of the contract: days off are left out. */
export const WORKING_PATTERNS_SCHEMA = `
create table working_patterns (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  cycle_weeks integer not null,
  anchor_date date not null,
  days jsonb not null,
  weekly_minutes double precision not null,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index working_patterns_by_label on working_patterns (organisation_id, name_key);
${noteChangesOfNames('working_patterns', 'label')}`;
