import type { AddressState } from '../../data/address.js';

/** The state of the directory in the address. */
export interface DirectoryState extends AddressState {
  q?: string;
  status?: string;
  department?: string;
  units?: string;
  place?: string;
  manager?: string;
  sort?: string;
  as_of?: string;
  known_at?: string;
}

/** The orders that the API has. */
export const SORTS = ['name', 'start_date', 'updated_at_desc'] as const;

export type Sort = (typeof SORTS)[number];

/** The order of the address; `name` if it has none. */
export function sortOf({ sort }: DirectoryState): Sort {
  return SORTS.find((known) => known === sort) ?? 'name';
}

/** The query of `GET /people` for a state. */
export function queryOf(state: DirectoryState) {
  const { q, status, department, units, place, manager, as_of, known_at } = state;
  return {
    ...(q === undefined ? {} : { q }),
    ...(department === undefined
      ? {}
      : { department_id: department, ...(units === 'true' ? { include_units: true } : {}) }),
    ...(place === undefined ? {} : { work_place_id: place }),
    ...(manager === undefined ? {} : { manager_id: manager }),
    ...(as_of === undefined
      ? {
          sort: sortOf(state),
          ...(status === 'active' || status === 'ended' ? { status: status as typeof status } : {}),
        }
      : { as_of, ...(known_at === undefined ? {} : { known_at }) }),
  };
}

/** Whether a state has a filter, so that an empty list may be due to it. */
export const isFiltered = (state: DirectoryState): boolean =>
  Object.keys(queryOf(state)).some((name) => name !== 'sort');
