import { QueryClient } from '@tanstack/react-query';
import { showRoot } from '../root.js';
import { Operations } from './operations.js';

showRoot(
  new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } }),
  <Operations />,
);
