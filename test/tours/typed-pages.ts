/**
 * The pages whose commands a spec types, by the spec that does it: each takes its pages from here, so that a page cannot be listed and not
 * typed. `law.spec.ts` compares the list with the pages that there are.
 */
export const TYPED_PAGES = {
  /** One after another over one service, in `npm test`. */
  first: [
    'README.md',
    'docs/how-to/first-requests.md',
    'docs/employment-in-two-times.md',
    'docs/how-to/receive-webhooks.md',
    'docs/how-to/connect-an-ai-client.md',
  ],
  /** One after another over one service, in the long lane. */
  other: [
    'docs/how-to/sign-in.md',
    'docs/how-to/audit.md',
    'docs/how-to/test-an-integration.md',
    'docs/how-to/import-people.md',
    'docs/how-to/import-locations.md',
    'docs/how-to/erase-a-person.md',
    'docs/how-to/a-delivery-did-not-arrive.md',
    'docs/how-to/sync-changes.md',
    'docs/how-to/run-in-production.md',
    'docs/security/dependencies.md',
    'docs/how-to/run-payroll.md',
  ],
  /** The same, with an address of the machine as a receiver of webhooks. Balances come before the settings of time off are changed. */
  reference: [
    'docs/reference/http.md',
    'docs/reference/balances.md',
    'docs/reference/custom-fields.md',
    'docs/reference/documents-and-mappings.md',
    'docs/reference/operations.md',
    'docs/reference/payroll.md',
    'docs/reference/personal-data.md',
    'docs/reference/time-off.md',
    'docs/reference/time-off-set-up.md',
    'docs/reference/webhooks.md',
    'docs/reference/cli.md',
  ],
  /** Each over a service of its own, because what one changes, such as the master key, would surprise the next. */
  operators: ['docs/how-to/rotate-secrets.md', 'docs/how-to/back-up-and-restore.md', 'docs/how-to/run-it.md', 'docs/how-to/watch-it.md'],
  /** On the data of a service that was stopped. */
  stopped: ['docs/how-to/move-the-event-store.md'],
  /** In a copy of the tree, whose files the reader writes and edits. */
  inACopy: ['docs/how-to/add-a-resource.md'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
