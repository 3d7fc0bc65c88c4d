import { IconKey } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const access: Screen = {
  path: '/access',
  name: 'access',
  scopes: ['access:manage'],
  texts: ['access'],
  navigation: { label: 'access', group: 'administration', icon: IconKey },
  load: () => import('./access.js').then(({ Access }) => Access),
};
