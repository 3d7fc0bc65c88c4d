/**
 * What one attempt sent and received, kept for a day (docs/reference/webhooks.md). Times are in milliseconds.
 */
export interface Exchange {
  readonly number: number;
  readonly url: string;
  readonly request_headers: HeaderLines | null;
  readonly answer: {
    readonly status: number;
    readonly headers: HeaderLines;
    readonly body: string;
    readonly is_body_complete: boolean;
  } | null;
  readonly resolved_ms: number | null;
  readonly connected_ms: number | null;
  readonly answered_ms: number | null;
}

/** Names and values in the order of the message. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The exchanges of a delivery with the body, which is the same in each attempt. */
export interface Exchanges {
  readonly method: string;
  readonly body: string;
  readonly attempts: readonly Exchange[];
}

/** Headers that curl writes itself. */
const OF_CURL: ReadonlySet<string> = new Set(['host', 'content-length', 'accept-encoding', 'connection']);

/** The request as a command of a POSIX shell. */
export function curlOf(method: string, body: string, { url, request_headers: headers }: Exchange): string {
  const lines = (headers ?? []).filter(([name]) => !OF_CURL.has(name.toLowerCase()));
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...lines.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
