import { IconListSearch } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const requests: Screen = {
  path: '/requests',
  name: 'requests',
  scopes: ['requests:read'],
  texts: ['requests'],
  navigation: { label: 'requests', group: 'connections', icon: IconListSearch },
  load: () => import('./requests.js').then(({ Requests }) => Requests),
};
