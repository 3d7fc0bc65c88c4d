/** The pages whose commands `first-pages.e2e.spec.ts` types, one after another over one service. */
export const TYPED_PAGES = ['README.md', 'docs/tutorials/first-requests.md', 'docs/tutorials/receive-webhooks.md'] as const;
