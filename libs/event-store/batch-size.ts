const SUBSCRIPTION_BATCH = { standard: 512, largest: 4_096 };
const SCAN_BATCH = { standard: 5_000, largest: 20_000 };

/** The batch size of a subscription: the requested one, limited to 1 to 4,096; 512 by default. */
export function subscriptionBatchSize(asked: number | undefined): number {
  return within(SUBSCRIPTION_BATCH, asked);
}

/** The batch size of a scan: the requested one, limited to 1 to 20,000; 5,000 by default. */
export function scanBatchSize(asked: number | undefined): number {
  return within(SCAN_BATCH, asked);
}

function within(bounds: { readonly standard: number; readonly largest: number }, asked: number | undefined): number {
  return asked === undefined ? bounds.standard : Math.min(Math.max(Math.trunc(asked), 1), bounds.largest);
}
