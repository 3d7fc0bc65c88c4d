import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slug } from 'github-slugger';
import { copyOnlyCommands } from './console-blocks.mjs';
import { finish } from './finish.mjs';
import { siteLinks } from './links.mjs';
import { ROOT, sidebar } from './pages.mjs';

const BASE = '/docs/';
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const icon = readFileSync(join(ROOT, 'apps', 'console', 'public', 'icon.svg')).toString('base64');
const ICON = `data:image/svg+xml;base64,${icon}`;

const SIDEBAR = sidebar();
const linksOf = (items) => items.flatMap((item) => (item.items === undefined ? [item.link] : linksOf(item.items)));
/** The parts of the sidebar in the bar above every page, each marked on its own pages. */
const readers = SIDEBAR['/']
  .filter(({ link }) => link !== undefined)
  .map(({ text, link, items }) => ({ text, link, activeMatch: `^(?:${linksOf(items).join('|')})$` }));

/**
 * The documentation as a site. `scripts/build-site.mjs` builds it into `dist/docs`, from where the API serves
 * it below `/docs`; `npm run docs` shows it while you write. A link to a page that does not exist fails the
 * build. The files are those of the repository, so that links work in both.
 */
export default {
  srcDir: ROOT,
  srcExclude: ['README.md', 'apps/**', 'libs/**', 'test/**', 'dist/**', 'deploy/**', 'scripts/**'],
  rewrites: { 'docs/:page*': ':page*' },
  outDir: join(ROOT, 'dist', 'docs'),
  cacheDir: join(ROOT, 'dist', '.vitepress'),
  base: BASE,
  cleanUrls: true,
  // Inline scripts that are the same on every page: the policy allows them by their digests.
  metaChunk: true,
  // A page would load the files of all pages that it links to.
  router: { prefetchLinks: false },
  lang: 'en',
  title: 'Workforce HR',
  description: 'A self-hosted HR service that answers as of any day, and as known at any moment.',
  head: [['link', { rel: 'icon', href: ICON }]],
  // By default a change of the colours adds a style element, which the policy forbids.
  appearance: { disableTransition: false },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slug },
    // The usual delimiter would take the id of /people/{id} for an attribute.
    attrs: { leftDelimiter: '{:' },
    codeTransformers: [copyOnlyCommands],
    config: (markdown) => void markdown.use(siteLinks, BASE),
  },
  buildEnd: finish,
  themeConfig: {
    logo: ICON,
    nav: [...readers, { text: 'API', link: '/api', target: '_self' }, { text: version, link: '/CHANGELOG' }],
    sidebar: SIDEBAR,
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: {
        // Decisions and licences are no guides.
        _render: (source, env, markdown) =>
          /^(?:adr|reference\/generated\/licences)/.test(env.relativePath) ? '' : markdown.render(source, env),
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: true,
  },
};
