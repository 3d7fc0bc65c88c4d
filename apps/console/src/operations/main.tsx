import { QueryClient } from '@tanstack/react-query';
import { loadTexts, startLanguages } from '../languages/start-languages.js';
import { showRoot } from '../root.js';
import { restoreLanguage } from './language.js';
import { Operations } from './operations.js';

restoreLanguage();
await startLanguages();
await loadTexts(['operations']);
showRoot(
  new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } }),
  <Operations />,
);
