import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';
import { RouterProvider } from '@tanstack/react-router';
import { createQueryClient } from './data/query-client.js';
import { startLanguages } from './languages/start-languages.js';
import { showRoot } from './root.js';
import { createConsoleRouter } from './router.js';

await startLanguages('shell');
showRoot(
  createQueryClient(),
  <>
    <Notifications position="top-right" />
    <RouterProvider router={createConsoleRouter() as never} />
  </>,
);
