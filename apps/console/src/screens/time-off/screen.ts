import { IconBeach } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const timeOff: Screen = {
  path: '/time-off',
  name: 'timeOff',
  scopes: ['time_off:read', 'people:read'],
  texts: ['time-off'],
  navigation: { label: 'timeOff', group: 'time', icon: IconBeach },
  load: () => import('./time-off.js').then(({ TimeOffScreen }) => TimeOffScreen),
};
