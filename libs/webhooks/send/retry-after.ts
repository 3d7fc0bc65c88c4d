const MAX_MILLISECONDS = 24 * 3_600_000;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]+$/;

/**
 * The pause that a receiver requests (RFC 9110, 10.2.3): seconds, or a date in any of HTTP's three forms. At
 * most 24 hours.
 *
 * @param now - milliseconds since 1970
 * @returns milliseconds from now, 0 for a past date; null if the header is absent or invalid
 */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, MAX_MILLISECONDS);
  if (!HTTP_DATE.test(text)) return null;
  // The form of asctime() has no zone and means UTC like the others.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), MAX_MILLISECONDS);
}
