import { IconFileImport } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const imports: Screen = {
  path: '/imports',
  name: 'imports',
  scopes: ['imports:manage'],
  texts: ['imports'],
  navigation: { label: 'imports', group: 'administration', icon: IconFileImport },
  load: () => import('./imports.js').then(({ Imports }) => Imports),
};

export const oneImport: Screen = {
  path: '/imports/$importId',
  name: 'oneImport',
  scopes: ['imports:manage'],
  texts: ['imports'],
  navigation: null,
  load: () => import('./one-import.js').then(({ OneImport }) => OneImport),
};
