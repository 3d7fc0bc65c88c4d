const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const REQUEST_ID = /\breq_[\w.-]+/g;
const PREFIXED_ID = /\b([a-z_]+_)[\w-]{8}\.[\w-]{8}\.[\w-]{12}/g;
const HASH = /\b[0-9a-f]{16}\b/g;
const RATE = / \(\d[\d,]* a second\)/g;
const DURATION = /\b\d+\.\d+\b/g;

/**
 * Returns the output of a command without the parts that differ each time: times, durations, rates, hashes, ids except their
 * prefix, and column padding.
 */
export function comparable(output: string): string {
  return output
    .replace(TIME, '<time>')
    .replace(REQUEST_ID, '<request id>')
    .replace(PREFIXED_ID, '$1<id>')
    .replace(HASH, '<hash>')
    .replace(RATE, '')
    .replace(DURATION, '<duration>')
    .replace(/ {2,}/g, '  ')
    .trim();
}
