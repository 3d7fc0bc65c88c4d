import { IconHistory } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const audit: Screen = {
  path: '/audit',
  name: 'what happened',
  scopes: ['audit:read'],
  texts: 'audit',
  navigation: { label: 'Audit', group: 'Records', icon: IconHistory },
  load: () => import('./audit.js').then(({ Audit }) => Audit),
};
