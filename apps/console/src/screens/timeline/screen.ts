import type { Screen } from '../../screen.js';

export const timeline: Screen = {
  path: '/people/$personId/timeline',
  name: 'timeline',
  scopes: ['people:read'],
  texts: ['timeline'],
  navigation: null,
  load: () => import('./timeline.js').then(({ Timeline }) => Timeline),
};
