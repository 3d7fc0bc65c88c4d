import type { Projection } from '#projections/projection.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import { nameKey } from '../../naming/name-key.js';
import { FORGET_NAMES } from '../../naming/reference-versions.js';
import { evolveEntry, initialEntry } from './entry.decider.js';

/** The entries of one dictionary, the inactive ones included. */
export function dictionaryProjection(table: string, category: string): Projection {
  return oneRowProjection({
    table,
    category,
    initial: initialEntry,
    evolve: evolveEntry,
    afterRebuild: FORGET_NAMES,
    columns: ['label', 'name_key', 'is_active'],
    row: (state, stream) => {
      if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of an entry`);
      return { label: state.label, name_key: nameKey(state.label), is_active: state.status === 'active' };
    },
  });
}
