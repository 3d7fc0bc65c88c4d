import { QueryClient } from '@tanstack/react-query';
import { loadTexts, startLanguages } from '../languages/start-languages.js';
import { showRoot } from '../root.js';
import { restoreLanguage } from './language.js';

restoreLanguage();
await startLanguages();
// On demand, so that the file with which both pages begin has nothing of this one.
const [{ Operations }] = await Promise.all([import('./operations.js'), loadTexts(['operations'])]);
showRoot(
  new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } }),
  <Operations />,
);
