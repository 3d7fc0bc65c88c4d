import type { Screen } from './screen.js';
import { directory } from './screens/directory/screen.js';
import { imports, oneImport } from './screens/imports/screen.js';
import { orgChart } from './screens/org-chart/screen.js';
import { payroll } from './screens/payroll/screen.js';
import { hire, person } from './screens/person/screen.js';
import { timeOff } from './screens/time-off/screen.js';
import { timeline } from './screens/timeline/screen.js';

/** Every screen, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [directory, hire, person, timeline, orgChart, timeOff, payroll, imports, oneImport];
