import './component-styles.js';
import './main.css';
import { Badge, createTheme, MantineProvider, Notification, TableScrollContainer } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

/** The look of the components, with their texts in the user's language. */
const themeOf = () =>
  createTheme({
    primaryColor: 'indigo',
    primaryShade: { light: 7, dark: 8 },
    defaultRadius: 'sm',
    autoContrast: true,
    cursorType: 'pointer',
    fontSizes: { sm: '0.84375rem' },
    components: {
      Badge: Badge.extend({ defaultProps: { tt: 'none' } }),
      Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': i18next.t('dismiss') } } }),
      // Scrollable content must also scroll by keyboard.
      TableScrollContainer: TableScrollContainer.extend({
        defaultProps: { scrollAreaProps: { viewportProps: { tabIndex: 0 }, offsetScrollbars: 'present' } },
      }),
    },
  });

/** Shows the content of a page, with the theme and the nonce of the page's policy. */
export function showRoot(queryClient: QueryClient, content: ReactNode): void {
  const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
  // The scroll lock of dialogs writes a style, and reads the nonce from here.
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  createRoot(document.getElementById('console')!).render(
    <StrictMode>
      <MantineProvider theme={themeOf()} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <QueryClientProvider client={queryClient}>{content}</QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
