/** The batch size of a scan: the requested one, limited to 1 to 20,000; 5,000 by default. */
export function scanBatchSize(requested = 5_000): number {
  return Math.min(Math.max(Math.trunc(requested), 1), 20_000);
}
