import type { Screen } from '../../screen.js';

export const timeline: Screen = {
  path: '/people/$personId/timeline',
  name: 'the timeline',
  scopes: ['people:read'],
  navigation: null,
  load: () => import('./timeline.js').then(({ Timeline }) => Timeline),
};
