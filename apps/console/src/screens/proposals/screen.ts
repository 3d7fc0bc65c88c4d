import { IconRobot } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const proposals: Screen = {
  path: '/proposals',
  name: 'proposals',
  scopes: ['people:write'],
  texts: ['proposals'],
  navigation: { label: 'proposals', group: 'connections', icon: IconRobot },
  load: () => import('./proposals.js').then(({ Proposals }) => Proposals),
};
