import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';
import { RouterProvider } from '@tanstack/react-router';
import { setLanguage } from './data/locale.js';
import { createQueryClient } from './data/query-client.js';
import { sessionQuery } from './data/session.js';
import { startLanguages } from './languages/start-languages.js';
import { showRoot } from './root.js';
import { createConsoleRouter } from './router.js';

const queryClient = createQueryClient();
// Without a session, and without a connection, the page has the language of the browser. The page of the sign-in
// does not wait for a session.
if (!location.pathname.endsWith('/sign-in')) await queryClient.prefetchQuery(sessionQuery);
setLanguage(queryClient.getQueryData(sessionQuery.queryKey)?.preferences.language ?? null);
await startLanguages('shell');
showRoot(
  queryClient,
  <>
    <Notifications position="top-right" />
    <RouterProvider router={createConsoleRouter() as never} />
  </>,
);
