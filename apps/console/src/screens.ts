import type { Screen } from './screen.js';
import { access } from './screens/access/screen.js';
import { directory } from './screens/directory/screen.js';
import { hire, person } from './screens/person/screen.js';
import { proposals } from './screens/proposals/screen.js';
import { timeline } from './screens/timeline/screen.js';
import { webhook, webhooks } from './screens/webhooks/screen.js';

/** Every screen, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [directory, hire, person, timeline, webhooks, webhook, proposals, access];
