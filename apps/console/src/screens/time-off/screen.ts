import { IconBeach } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const timeOff: Screen = {
  path: '/time-off',
  name: 'time off',
  scopes: ['time_off:read', 'people:read'],
  navigation: { label: 'Who is out', group: 'Time', icon: IconBeach },
  load: () => import('./time-off.js').then(({ TimeOffScreen }) => TimeOffScreen),
};
