import { IconSitemap } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const orgChart: Screen = {
  path: '/org-chart',
  name: 'orgChart',
  scopes: ['org_units:read', 'people:read'],
  roles: 'all',
  texts: ['org-chart'],
  navigation: { label: 'orgChart', group: 'people', icon: IconSitemap },
  load: () => import('./org-chart.js').then(({ OrgChart }) => OrgChart),
};
