import { IconUserCircle, IconUsersGroup } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const myPage: Screen = {
  path: '/me',
  name: 'myPage',
  scopes: ['people:read', 'time_off:read'],
  roles: ['employee', 'manager'],
  texts: ['my-page', 'time-off'],
  navigation: { label: 'myPage', group: 'people', icon: IconUserCircle },
  load: () => import('./my-page.js').then(({ MyPage }) => MyPage),
};

export const myTeam: Screen = {
  path: '/my-team',
  name: 'myTeam',
  scopes: ['people:read', 'time_off:read'],
  roles: ['manager'],
  texts: ['my-page', 'time-off'],
  navigation: { label: 'myTeam', group: 'people', icon: IconUsersGroup },
  load: () => import('./my-team.js').then(({ MyTeam }) => MyTeam),
};
