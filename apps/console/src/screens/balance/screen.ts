import type { Screen } from '../../screen.js';

export const balance: Screen = {
  path: '/people/$personId/balance',
  name: 'balance',
  scopes: ['time_off:read'],
  roles: 'all',
  // A line opens its record of time off.
  texts: ['balance', 'time-off'],
  navigation: null,
  load: () => import('./balance.js').then(({ BalanceScreen }) => BalanceScreen),
};
