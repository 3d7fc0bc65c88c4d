import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 65_536;

/**
 * Returns the id of the event of a genuine delivery, and throws for anything else.
 *
 * @param body - the raw bytes as they came, before any parser saw them
 * @param secret - the whole text, `whsec_` and all
 * @param now - Unix time in seconds
 */
export function verifyWebhook(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string,
  now = Date.now() / 1_000,
): string {
  const id = headers['service-webhook-id'];
  const timestamp = headers['service-webhook-timestamp'];
  const signatures = headers['service-webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    throw new Error('a header is missing');
  if (!/^[0-9]{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new Error('the timestamp is too old or too new');
  const expected = Buffer.from(`v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`);
  // Two in the 24 hours after the secret was rotated. One that matches is enough.
  const isSigned = signatures.split(',').some((signature) => {
    const given = Buffer.from(signature.trim());
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) throw new Error('no signature matches');
  // The signature covers the body, which names the event once more: the header alone could be another one's.
  if ((JSON.parse(body.toString()) as { id: unknown }).id !== id) throw new Error('the id is not that of the body');
  return id;
}

/**
 * A receiver: 204 for what is genuine, 400 for what is not. `handle` is called once for every event, however
 * often it comes. Yours keeps the ids it has seen in a database, with a unique key, for at least 30 days.
 */
export function receiver(secret: string, handle: (event: unknown) => void): Server {
  const seen = new Set<string>();
  return createServer((request, response) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > MAX_BODY_BYTES) request.destroy();
      parts.push(part);
    });
    request.on('end', () => {
      const body = Buffer.concat(parts);
      try {
        const id = verifyWebhook(request.headers, body, secret);
        if (!seen.has(id)) handle(JSON.parse(body.toString()));
        seen.add(id);
        response.writeHead(204).end();
      } catch {
        response.writeHead(400).end();
      }
    });
  });
}
