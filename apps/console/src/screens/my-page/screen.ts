import { IconUserCircle, IconUsersGroup } from '@tabler/icons-react';
import { loadTexts } from '../../languages/start-languages.js';
import type { Screen } from '../../screen.js';

export const myPage: Screen = {
  path: '/me',
  name: 'myPage',
  scopes: ['people:read', 'time_off:read'],
  roles: ['employee', 'manager'],
  texts: 'my-page',
  navigation: { label: 'myPage', group: 'people', icon: IconUserCircle },
  load: () => withTimeOff(import('./my-page.js')).then(({ MyPage }) => MyPage),
};

export const myTeam: Screen = {
  path: '/my-team',
  name: 'myTeam',
  scopes: ['people:read', 'time_off:read'],
  roles: ['manager'],
  texts: 'my-page',
  navigation: { label: 'myTeam', group: 'people', icon: IconUsersGroup },
  load: () => withTimeOff(import('./my-team.js')).then(({ MyTeam }) => MyTeam),
};

/** Also loads the texts of the forms and lists of time off, which these screens share. */
async function withTimeOff<Content>(content: Promise<Content>): Promise<Content> {
  await loadTexts('time-off');
  return content;
}
