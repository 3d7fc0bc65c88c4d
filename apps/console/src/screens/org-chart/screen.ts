import { IconSitemap } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const orgChart: Screen = {
  path: '/org-chart',
  name: 'the org chart',
  scopes: ['org_units:read', 'people:read'],
  navigation: { label: 'Org chart', group: 'People', icon: IconSitemap },
  load: () => import('./org-chart.js').then(({ OrgChart }) => OrgChart),
};
