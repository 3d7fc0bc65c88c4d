import type { Stream } from '#projections/projection.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import { nameKey } from '../../naming/name-key.js';
import { FORGET_NAMES } from '../../naming/reference-versions.js';
import { evolveOrgUnit, initialOrgUnit } from './org-unit.decider.js';

/** Org units, the archived ones included. */
export const orgUnitProjection = oneRowProjection({
  table: 'org_units',
  category: 'org-unit',
  initial: initialOrgUnit,
  evolve: evolveOrgUnit,
  afterRebuild: FORGET_NAMES,
  columns: ['name', 'name_key', 'code', 'parent_id', 'head_id', 'archived_at'],
  row: (state, stream) => {
    if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of an org unit`);
    return { ...state.unit, name_key: nameKey(state.unit.name), archived_at: state.status === 'archived' ? lastArchived(stream) : null };
  },
});

function lastArchived(stream: Stream): string {
  return stream.findLast((event) => event.type === 'OrgUnitArchived')!.recordedAt;
}
