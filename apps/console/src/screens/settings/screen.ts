import { IconSettings } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

const load = () => import('./settings.js').then(({ Settings }) => Settings);

/** The settings of the organisation: the first part that the role may open. */
export const settings: Screen = {
  path: '/settings',
  name: 'settings',
  scopes: ['org_units:write', 'working_patterns:write', 'time_off:config:write'],
  texts: ['settings', 'time-off'],
  navigation: { label: 'settings', group: 'administration', icon: IconSettings },
  load,
};

/** One part of the settings. */
export const settingsPart: Screen = { ...settings, path: '/settings/$part', navigation: null };
