import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './main.css';
import { Badge, createTheme, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './data/query-client.js';
import { createConsoleRouter } from './router.js';

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'sm',
  autoContrast: true,
  cursorType: 'pointer',
  fontSizes: { sm: '0.84375rem' },
  components: { Badge: Badge.extend({ defaultProps: { tt: 'none' } }) },
});
const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';

// What locks the scrolling behind a dialogue writes a style, for which it looks here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <Notifications position="top-right" />
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={createConsoleRouter() as never} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
