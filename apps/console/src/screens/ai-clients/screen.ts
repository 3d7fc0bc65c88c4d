import type { Screen } from '../../screen.js';

export const aiClients: Screen = {
  path: '/ai-clients',
  name: 'aiClients',
  scopes: [],
  roles: 'all',
  texts: ['ai-clients'],
  navigation: null,
  label: 'aiClients',
  load: () => import('./ai-clients.js').then(({ AiClients }) => AiClients),
};
