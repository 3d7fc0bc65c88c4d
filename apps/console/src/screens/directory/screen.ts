import { IconUsers } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const directory: Screen = {
  path: '/people',
  name: 'the directory',
  scopes: ['people:read'],
  texts: 'directory',
  navigation: { label: 'Directory', group: 'People', icon: IconUsers },
  load: () => import('./directory.js').then(({ Directory }) => Directory),
};
