import type { FileColumns } from '#csv-import/columns.js';
import { IMPORT_KINDS, type ImportKind } from '#csv-import/import-jobs.js';
import { LOCATION_FILE } from '#organisation/location/location.api.js';
import { PAYROLL_MARKER_FILE } from '#payroll/marker/payroll-marker.api.js';
import { HISTORY_FILE, PEOPLE_FILE } from '#people/import/import-columns.js';
import { TIME_OFF_FILE } from '#time-off/requests/time-off-import.js';

/** Kinds of files. Payroll markers are imported only on the command line: API keys may not record them. */
export type FileKind = ImportKind | 'payroll_markers';

/** The columns of each kind of file. */
export const FILES: Readonly<Record<FileKind, FileColumns>> = {
  people: PEOPLE_FILE,
  employment_history: HISTORY_FILE,
  time_off: TIME_OFF_FILE,
  locations: LOCATION_FILE,
  payroll_markers: PAYROLL_MARKER_FILE,
};

/** The columns of all kinds of files that the API accepts. */
export const ALL_COLUMNS: readonly string[] = [...new Set(IMPORT_KINDS.flatMap((kind) => FILES[kind].columns))];
