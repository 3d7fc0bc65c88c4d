import { IconListSearch } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const requests: Screen = {
  path: '/requests',
  name: 'the log of requests',
  scopes: ['requests:read'],
  navigation: { label: 'Requests', group: 'Connections', icon: IconListSearch },
  load: () => import('./requests.js').then(({ Requests }) => Requests),
};
