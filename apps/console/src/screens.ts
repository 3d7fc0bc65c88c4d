import type { Screen } from './screen.js';
import { directory } from './screens/directory/screen.js';
import { imports, oneImport } from './screens/imports/screen.js';
import { payroll } from './screens/payroll/screen.js';
import { hire, person } from './screens/person/screen.js';
import { timeline } from './screens/timeline/screen.js';

/** Every screen, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [directory, hire, person, timeline, payroll, imports, oneImport];
