import type { Stream } from '#projections/projection.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import { nameKey } from '../../naming/name-key.js';
import { FORGET_NAMES } from '../../naming/reference-versions.js';
import { evolveWorkingPattern, initialWorkingPattern, weeklyMinutes } from './working-pattern.decider.js';

/** Working patterns, the archived ones included. */
export const workingPatternProjection = oneRowProjection({
  table: 'working_patterns',
  category: 'working-pattern',
  initial: initialWorkingPattern,
  evolve: evolveWorkingPattern,
  afterRebuild: FORGET_NAMES,
  columns: ['label', 'name_key', 'cycle_weeks', 'anchor_date', 'days', 'weekly_minutes', 'archived_at'],
  // COPY would take a list for an array of PostgreSQL, and this one is a list in JSON.
  complete: (row) => ({ ...row, days: JSON.stringify(row['days']) }),
  row: (state, stream) => {
    if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of a working pattern`);
    const { pattern } = state;
    return { ...pattern, name_key: nameKey(pattern.label), weekly_minutes: weeklyMinutes(pattern), archived_at: archivedAt(stream) };
  },
});

function archivedAt(stream: Stream): string | null {
  return stream.find((event) => event.type === 'WorkingPatternArchived')?.recordedAt ?? null;
}
