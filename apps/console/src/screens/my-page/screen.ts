import { IconUserCircle, IconUsersGroup } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const myPage: Screen = {
  path: '/me',
  name: 'your page',
  scopes: ['people:read', 'time_off:read'],
  roles: ['employee', 'manager'],
  texts: 'my-page',
  navigation: { label: 'My page', group: 'People', icon: IconUserCircle },
  load: () => import('./my-page.js').then(({ MyPage }) => MyPage),
};

export const myTeam: Screen = {
  path: '/my-team',
  name: 'your team',
  scopes: ['people:read', 'time_off:read'],
  roles: ['manager'],
  texts: 'my-page',
  navigation: { label: 'My team', group: 'People', icon: IconUsersGroup },
  load: () => import('./my-team.js').then(({ MyTeam }) => MyTeam),
};
