import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Builds into `dist/apps/console`, from where the API serves it below `/console`, and the operations listener
 * its own page. Nothing is inline, so that the content security policy can forbid it.
 */
export default defineConfig({
  root: at('.'),
  base: '/console/',
  resolve: { alias: { '@workforce-hr/client': at('../../libs/client/index.ts') } },
  build: {
    outDir: at('../../dist/apps/console'),
    emptyOutDir: true,
    // These have the CSS function light-dark().
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      input: { index: at('index.html'), operations: at('operations.html') },
      // Packages mark code that servers may not render; here everything runs in the browser.
      onwarn: (warning, report) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || report(warning),
    },
  },
});
