import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from './pages.mjs';

/** Addresses below the base that the API serves beside the site. */
const BESIDE = new Set(['api']);

/**
 * Completes a build: adds the files of docs/examples and the reader of the API, fails for links to headings
 * that do not exist, writes the digests of the inline scripts for the policy of the page (CSP Level 3,
 * section 8.4) into `scripts.json`, and compresses texts.
 */
export function finish({ outDir, site: { base } }) {
  cpSync(join(ROOT, 'docs', 'examples'), join(outDir, 'examples'), { recursive: true });
  cpSync(readerFile(), join(outDir, 'reader.js'));
  const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
  const pages = new Map(
    files
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file.slice(0, -'.html'.length), readFileSync(join(outDir, file), 'utf8')]),
  );
  const broken = [...pages].flatMap(([page, html]) => brokenLinks(page, html, base, pages, new Set(files)));
  if (broken.length > 0) throw new Error(`Links of the documentation lead nowhere:\n${broken.join('\n')}`);
  writeFileSync(join(outDir, 'scripts.json'), JSON.stringify(digestsOf(pages.values())));
  for (const file of files.filter((name) => /\.(?:html|js|css)$/.test(name)))
    writeFileSync(join(outDir, `${file}.gz`), gzipSync(readFileSync(join(outDir, file))));
}

/** The reader that Scalar publishes in one file for browsers. */
function readerFile() {
  const entry = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  return join(dirname(entry), 'js', 'standalone.js');
}

function brokenLinks(page, html, base, pages, files) {
  return [...html.matchAll(/ href="([^"]+)"/g)].flatMap(([, href]) => {
    if (!href.startsWith(base) && !href.startsWith('#')) return [];
    const [path, fragment = ''] = href.split('#', 2);
    const target = path === '' ? page : path.slice(base.length) || 'index';
    if (BESIDE.has(target) || files.has(target)) return [];
    const exists = pages.has(target) && (fragment === '' || pages.get(target).includes(` id="${fragment}"`));
    return exists ? [] : [`${page}: ${href}`];
  });
}

function digestsOf(pages) {
  const scripts = new Set(
    [...pages].flatMap((html) =>
      [...html.matchAll(/<script(?![^>]* src=)[^>]*>([^]*?)<\/script>/g)].map(([, text]) => text),
    ),
  );
  return [...scripts].map((text) => `sha256-${createHash('sha256').update(text).digest('base64')}`);
}
