import { IconUsers } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const directory: Screen = {
  path: '/people',
  name: 'directory',
  scopes: ['people:read'],
  texts: ['directory'],
  navigation: { label: 'directory', group: 'people', icon: IconUsers },
  load: () => import('./directory.js').then(({ Directory }) => Directory),
};
