import type { FileColumns } from '../../importing/columns.js';
import type { ImportKind } from '../../importing/jobs/import-jobs.js';
import { LOCATION_FILE } from '../../organisation/location/location-import.js';
import { HISTORY_FILE, PEOPLE_FILE } from '../../people/import/import-columns.js';
import { TIME_OFF_FILE } from '../../time-off/import/time-off-import.js';

/** The columns of each kind of file. */
export const FILES: Readonly<Record<ImportKind, FileColumns>> = {
  people: PEOPLE_FILE,
  employment_history: HISTORY_FILE,
  time_off: TIME_OFF_FILE,
  locations: LOCATION_FILE,
};

/** The columns that files of any kind have. */
export const ALL_COLUMNS: readonly string[] = [...new Set(Object.values(FILES).flatMap(({ columns }) => columns))];
