import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

/**
 * Writes each text again in the two encodings that browsers ask for; the API sends these files as they are.
 */
function compress({ dir }, bundle) {
  for (const file of Object.keys(bundle).filter((name) => /\.(?:js|css)$/.test(name))) {
    const text = readFileSync(join(dir, file));
    writeFileSync(join(dir, `${file}.br`), brotliCompressSync(text));
    writeFileSync(join(dir, `${file}.gz`), gzipSync(text));
  }
}

/** Catalogues are named after their folder and language; their own names are alike: `texts-access-de`. */
function nameOf(moduleId) {
  const [, folder, language] = /([^/]+)\/messages\/(\w+)\.json$/.exec(moduleId) ?? [];
  return folder === undefined ? '[name]' : `texts-${folder}-${language}`;
}

/**
 * What the two pages begin with is one file, except their own first modules, which must run in their page
 * alone. Otherwise it would be 21 files, whose headers weigh as much as their text and which compress worse.
 */
const INITIAL = { name: 'initial', tags: ['$initial'], test: (id) => !/(?:main\.tsx|\.html)$/.test(id), priority: 1 };

/** What many screens use is one file too; a lower count adds to each screen what only others use. */
const SHARED = { name: 'shared', test: /node_modules|console\/src\/(?:ui|data)|libs\/client/, minShareCount: 16 };

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Builds into `dist/apps/console`, from where the API serves it below `/console`, and the operations listener
 * its own page. Nothing is inline, so that the content security policy can forbid it.
 */
export default defineConfig({
  plugins: [{ name: 'compress', writeBundle: compress }],
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
      output: {
        chunkFileNames: ({ facadeModuleId }) => `assets/${nameOf(facadeModuleId ?? '')}-[hash].js`,
        codeSplitting: { groups: [INITIAL, SHARED] },
      },
      // Packages mark code that servers may not render; here everything runs in the browser.
      onwarn: (warning, report) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || report(warning),
    },
  },
});
