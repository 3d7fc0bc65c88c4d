import type { Screen } from '../../screen.js';

export const person: Screen = {
  path: '/people/$personId',
  name: 'person',
  scopes: ['people:read'],
  texts: ['person', 'time-off'],
  navigation: null,
  load: () => import('./person.js').then(({ PersonScreen }) => PersonScreen),
};

export const hire: Screen = {
  path: '/people/new',
  name: 'hire',
  scopes: ['people:read', 'people:write'],
  texts: ['person'],
  navigation: null,
  load: () => import('./hire.js').then(({ Hire }) => Hire),
};
