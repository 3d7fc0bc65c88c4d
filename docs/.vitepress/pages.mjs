import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The root of the project, which the paths of pages start from. */
export const ROOT = join(import.meta.dirname, '..', '..');
/** Pages outside docs/, which are pages of the site too. */
const ROOT_PAGES = ['CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/**
 * The parts of the sidebar by their readers, with the order of pages in each group. A page that no group
 * names is shown as well, at the end of a group that has its folder, so a new page needs no line here.
 */
const SIDEBAR = [
  {
    text: 'Start',
    groups: [
      {
        pages: [
          'index',
          'tutorials/first-requests',
          'explanation/employment-in-two-times',
          'how-to/use-the-console',
          'reference/demo',
          'reference/glossary',
        ],
      },
    ],
  },
  {
    text: 'Integrate',
    groups: [
      {
        text: 'API',
        folders: ['tutorials'],
        pages: [
          'how-to/test-an-integration',
          'how-to/sync-changes',
          'reference/http',
          'reference/generated/routes',
          'reference/generated/errors',
          'reference/api-changelog',
          'reference/cors',
          'reference/sandbox',
        ],
      },
      {
        text: 'Webhooks',
        pages: [
          'tutorials/receive-webhooks',
          'how-to/verify-webhooks',
          'how-to/a-delivery-did-not-arrive',
          'reference/webhooks',
          'reference/webhook-deliveries',
        ],
      },
      {
        text: 'Resources',
        folders: ['reference'],
        pages: [
          'reference/people-and-employment',
          'reference/personal-data',
          'reference/custom-fields',
          'reference/documents-and-mappings',
          'reference/time-off',
          'reference/balances',
          'reference/time-off-set-up',
          'reference/set-up',
          'reference/payroll',
          'reference/imports',
          'reference/access',
        ],
      },
      {
        text: 'Tasks',
        folders: ['how-to'],
        pages: ['how-to/import-people', 'how-to/run-payroll'],
      },
      { text: 'AI clients', pages: ['how-to/connect-an-ai-client', 'reference/generated/mcp'] },
    ],
  },
  {
    text: 'Audit',
    groups: [
      {
        folders: ['explanation'],
        pages: [
          'how-to/audit',
          'how-to/erase-a-person',
          'reference/audit',
          'explanation/threat-model',
          'reference/owasp-api-top-10',
          'reference/asvs-level-2',
          'SECURITY',
        ],
      },
    ],
  },
  {
    text: 'Operate',
    groups: [
      {
        text: 'Deploy',
        pages: [
          'how-to/run-it',
          'how-to/run-in-production',
          'how-to/run-with-systemd',
          'how-to/run-on-kubernetes',
          'how-to/run-eventstoredb',
          'how-to/sign-in',
          'how-to/scale',
          'how-to/upgrade',
          'explanation/performance',
        ],
      },
      {
        text: 'Keep it running',
        pages: [
          'how-to/watch-it',
          'how-to/alarms',
          'how-to/incidents',
          'how-to/back-up-and-restore',
          'how-to/rotate-secrets',
          'how-to/move-the-event-store',
        ],
      },
      {
        text: 'Reference',
        folders: ['reference/generated'],
        pages: [
          'reference/cli',
          'reference/generated/commands',
          'reference/generated/configuration',
          'reference/operations',
          'reference/metrics',
          'reference/console-session',
        ],
      },
    ],
  },
  {
    text: 'Extend',
    groups: [
      {
        folders: [''],
        pages: [
          'CONTRIBUTING',
          'map',
          'data-flow',
          'how-to/first-changes',
          'how-to/add-a-field',
          'how-to/add-a-resource',
          'reference/for-nest-developers',
          'reference/tests',
          'reference/events',
          'reference/generated/ways',
          'how-to/release',
          'reference/dependencies',
          'reference/generated/licences',
          'CHANGELOG',
          'CODE_OF_CONDUCT',
        ],
      },
    ],
  },
];

/** The Markdown files of the site, below the project. */
export const FILES = [
  ...ROOT_PAGES,
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join('docs', file.replaceAll('\\', '/')))
    .filter((file) => file.endsWith('.md') && !file.includes('/.vitepress/')),
].sort();

/** The name of a page in the site, such as `how-to/audit`. */
export const pageOf = (file) => file.replace(/^docs\//, '').replace(/\.md$/, '');

/** The decision records. They are no guides: one link of the sidebar leads to them. */
const isDecision = (page) => page.startsWith('adr/');
const DECISIONS = FILES.map(pageOf).filter(isDecision);
/** The page that stands for the folder of decisions. */
export const FIRST_DECISION = `/${DECISIONS[0]}`;

/**
 * The sidebar of the site; decisions have one of their own. Throws if a group names a page that is missing.
 */
export function sidebar() {
  const files = new Map(FILES.map((file) => [pageOf(file), file]));
  const item = (page) => {
    const file = files.get(page);
    if (file === undefined) throw new Error(`docs/.vitepress/pages.mjs names ${page}, which is not a page`);
    return page === 'index' ? { text: 'Overview', link: '/' } : { text: titleOf(file), link: `/${page}` };
  };
  const groups = SIDEBAR.flatMap((part) => part.groups);
  const named = new Set(groups.flatMap(({ pages }) => pages));
  const others = [...files.keys()].filter((page) => !named.has(page) && !isDecision(page));
  const groupOf = (page) => {
    const folder = posix.dirname(page).replace(/^\.$/, '');
    const isOf = (name) => groups.find(({ folders = [] }) => folders.includes(name));
    const group = isOf(folder) ?? isOf(folder.split('/')[0]);
    if (group === undefined) throw new Error(`docs/.vitepress/pages.mjs has no group for ${page}`);
    return group;
  };
  const itemsOf = (group) => [...group.pages, ...others.filter((page) => groupOf(page) === group)].map(item);
  const parts = SIDEBAR.map(({ text, groups: own }) => ({
    text,
    // A part without a link would be a button around the button that opens it.
    ...(text === 'Start' ? {} : { collapsed: true, link: `/#${text.toLowerCase()}` }),
    items: own.flatMap((group) =>
      group.text === undefined ? itemsOf(group) : [{ text: group.text, items: itemsOf(group) }],
    ),
  }));
  parts.at(-1).items.push({ text: 'Decisions', link: FIRST_DECISION });
  return { '/': parts, '/adr/': [{ text: 'Decisions', items: DECISIONS.map(item) }] };
}

/** The first heading, without the words that all how-to pages begin with. */
function titleOf(file) {
  const [, title] = /^# (?:How to )?(.+)$/m.exec(readFileSync(join(ROOT, file), 'utf8'));
  const text = title.replaceAll('`', '');
  return text[0].toUpperCase() + text.slice(1);
}
