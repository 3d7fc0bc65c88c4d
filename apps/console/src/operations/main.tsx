import '@mantine/core/styles.css';
import '../main.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Operations } from './operations.js';

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'sm',
  autoContrast: true,
  cursorType: 'pointer',
});
const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
// Locking the scroll behind a dialogue adds a style, which takes its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });
const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } });

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queryClient}>
        <Operations />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
