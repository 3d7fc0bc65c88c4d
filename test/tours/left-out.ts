/** A block of a page that no test types, and why. */
export interface LeftOut {
  readonly page: string;
  /** The beginning of the block: enough of it to tell it from the others of its page. */
  readonly begins: string;
  /** A sentence. */
  readonly reason: string;
}

/** Every block of commands that no test types. */
export const LEFT_OUT: readonly LeftOut[] = [
  { page: 'README.md', begins: 'npm ci && npm start', reason: 'The tour itself starts the service, and compares what it prints.' },
  { page: 'README.md', begins: 'npm ci && npm test        # types,', reason: 'This is the command that runs the tours.' },
  {
    page: 'docs/reference/tests.md',
    begins: "WORKFORCE_TEST_EVENTSTORE_URL='esdb://",
    reason: 'It needs a server of EventStoreDB that the tests do not start.',
  },
  {
    page: 'docs/how-to/audit.md',
    begins: '$ npx workforce audit verify\nWHAT',
    reason: 'It shows a history that somebody altered in the database.',
  },
  {
    page: 'docs/how-to/receive-webhooks.md',
    begins: 'WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8 npm start',
    reason: 'The service of the tour was started with this setting.',
  },
  { page: 'docs/how-to/connect-an-ai-client.md', begins: 'claude mcp add', reason: 'It needs an AI client of another maker.' },
  { page: 'docs/how-to/run-it.md', begins: 'npm ci && npm start', reason: 'The tour itself starts the service.' },
  { page: 'CONTRIBUTING.md', begins: 'npm ci\nnpm run dev', reason: 'It installs the packages again that the tests use, and goes on.' },
  { page: 'docs/how-to/run-in-production.md', begins: 'docker compose build', reason: 'It needs an engine of containers.' },
  { page: 'docs/how-to/run-in-production.md', begins: 'docker compose up --detach --wait', reason: 'It needs an engine of containers.' },
  { page: 'docs/how-to/run-in-production.md', begins: 'docker compose run', reason: 'It needs an engine of containers.' },
  { page: 'docs/how-to/run-in-production.md', begins: 'docker compose exec', reason: 'It needs an engine of containers.' },
  { page: 'docs/how-to/run-in-production.md', begins: 'docker compose up --detach --no-deps', reason: 'It needs an engine of containers.' },
  {
    page: 'docs/how-to/run-in-production.md',
    begins: 'npm ci && npm run build',
    reason: 'It needs a machine of its own for namespaces, as root, and takes long.',
  },
  {
    page: 'docs/reference/tests.md',
    begins: 'WEBHOOK_STORM_EVENTS',
    reason: 'It runs for a quarter of an hour; the long lane has a small one.',
  },
  { page: 'docs/reference/tests.md', begins: 'FAULTS_KILLS', reason: 'It runs for long; the long lane has a small one.' },
  { page: 'docs/reference/tests.md', begins: 'EVENT_STORE_STORM_TIMES', reason: 'It runs for long; the long lane has a small one.' },
  {
    page: 'docs/security/dependencies.md',
    begins: 'npm audit --omit=dev',
    reason: 'It asks a registry, which answers another thing every day.',
  },
];

/** Whether a block of a page is left out. */
export function isLeftOut(page: string, text: string): boolean {
  return LEFT_OUT.some((one) => one.page === page && text.startsWith(one.begins));
}
