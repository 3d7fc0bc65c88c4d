const SUBSCRIPTION_BATCH = { standard: 512, largest: 4_096 };
const SCAN_BATCH = { standard: 5_000, largest: 20_000 };

/** The batch size of a subscription: what was asked for, brought into 1 to 4,096; 512 where nothing was. */
export function subscriptionBatchSize(asked: number | undefined): number {
  return within(SUBSCRIPTION_BATCH, asked);
}

/** The batch size of a scan: what was asked for, brought into 1 to 20,000; 5,000 where nothing was. */
export function scanBatchSize(asked: number | undefined): number {
  return within(SCAN_BATCH, asked);
}

function within(bounds: { readonly standard: number; readonly largest: number }, asked: number | undefined): number {
  return asked === undefined ? bounds.standard : Math.min(Math.max(Math.trunc(asked), 1), bounds.largest);
}
