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
    page: 'docs/tutorials/receive-webhooks.md',
    begins: 'WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8 npm start',
    reason: 'The service of the tour was started with this setting.',
  },
];

/** Whether a block of a page is left out. */
export function isLeftOut(page: string, text: string): boolean {
  return LEFT_OUT.some((one) => one.page === page && text.startsWith(one.begins));
}
