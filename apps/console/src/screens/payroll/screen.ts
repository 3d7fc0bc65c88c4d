import { IconCash } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const payroll: Screen = {
  path: '/payroll',
  name: 'payroll',
  scopes: ['payroll_exports:read'],
  texts: ['payroll'],
  navigation: { label: 'payroll', group: 'records', icon: IconCash },
  load: () => import('./payroll.js').then(({ Payroll }) => Payroll),
};
