import type { Screen } from './screen.js';
import { access } from './screens/access/screen.js';
import { audit } from './screens/audit/screen.js';
import { balance } from './screens/balance/screen.js';
import { aiClients } from './screens/ai-clients/screen.js';
import { calendarLinks } from './screens/calendar-links/screen.js';
import { directory } from './screens/directory/screen.js';
import { imports, oneImport } from './screens/imports/screen.js';
import { myPage, myTeam } from './screens/my-page/screen.js';
import { orgChart } from './screens/org-chart/screen.js';
import { payroll } from './screens/payroll/screen.js';
import { hire, person } from './screens/person/screen.js';
import { requests } from './screens/requests/screen.js';
import { settings, settingsPart } from './screens/settings/screen.js';
import { timeOff } from './screens/time-off/screen.js';
import { proposals } from './screens/proposals/screen.js';
import { timeline } from './screens/timeline/screen.js';
import { webhook, webhooks } from './screens/webhooks/screen.js';

/** Every screen, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  myPage,
  myTeam,
  directory,
  hire,
  person,
  timeline,
  balance,
  orgChart,
  timeOff,
  calendarLinks,
  aiClients,
  payroll,
  audit,
  webhooks,
  webhook,
  proposals,
  requests,
  access,
  imports,
  oneImport,
  settings,
  settingsPart,
];
