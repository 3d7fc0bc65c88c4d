import { IconHistory } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const audit: Screen = {
  path: '/audit',
  name: 'audit',
  scopes: ['audit:read'],
  texts: ['audit'],
  navigation: { label: 'audit', group: 'records', icon: IconHistory },
  load: () => import('./audit.js').then(({ Audit }) => Audit),
};
