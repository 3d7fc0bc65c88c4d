import { IconRobot } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const proposals: Screen = {
  path: '/proposals',
  name: 'write proposals',
  scopes: ['people:write'],
  navigation: { label: 'Write proposals', group: 'Connections', icon: IconRobot },
  load: () => import('./proposals.js').then(({ Proposals }) => Proposals),
};
