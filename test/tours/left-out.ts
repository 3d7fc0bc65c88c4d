/** Blocks of pages that nobody types in a test, and why. The first line of the block tells it from the others of its page. */
export const LEFT_OUT: readonly { readonly page: string; readonly firstLine: string; readonly reason: string }[] = [
  { page: 'README.md', firstLine: 'npm ci && npm start', reason: 'The tour itself starts the service, and compares what it prints.' },
  { page: 'README.md', firstLine: 'npm ci && npm test        # types,', reason: 'This is the command that runs the tours.' },
  {
    page: 'docs/how-to/audit.md',
    firstLine: '$ npx workforce audit verify\nWHAT',
    reason: 'It shows a history that somebody altered in the database.',
  },
  {
    page: 'docs/how-to/receive-webhooks.md',
    firstLine: 'WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8 npm start',
    reason: 'The service of the tour was started with this setting.',
  },
];

/** Whether a block of a page is left out. */
export function isLeftOut(page: string, text: string): boolean {
  return LEFT_OUT.some((one) => one.page === page && text.startsWith(one.firstLine));
}
