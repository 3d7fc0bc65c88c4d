import { IconKey } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const access: Screen = {
  path: '/access',
  name: 'keys and users',
  scopes: ['access:manage'],
  navigation: { label: 'Keys and users', group: 'Administration', icon: IconKey },
  load: () => import('./access.js').then(({ Access }) => Access),
};
