import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fastify } from 'fastify';
import { codeOf } from '#database/error-code.js';
import { parseJson } from '#kernel/json.js';
import { verificationProblem } from '#webhooks/send/verify.js';
import { CommandError } from '../command-error.js';

/** The settings of a receiver. */
export interface ReceiverSettings {
  /** 0 for any free one. */
  readonly port: number;
  /** The status of every response. */
  readonly status: number;
  /**
   * The signing secret to verify deliveries with; null if none was given. Events that arrive before the
   * secret is available wait for it.
   */
  readonly secret: Promise<string | null>;
  /** Called for an event before it is answered. Returns false to accept no more events. */
  readonly onEvent: (event: ReceivedEvent) => boolean;
}

/**
 * A received event, in the form of `--json`. An unverified one may contain any text: {@link lineOf} makes it
 * safe to print.
 */
export type ReceivedEvent = {
  readonly received_at: string;
  /** From the body, otherwise from the headers, which are not signed. */
  readonly event_type: string | null;
  readonly event_id: string | null;
  readonly occurred_at: string | null;
  readonly resource: { readonly id: string; readonly resource_type: string } | null;
  /** Null if there is no secret to verify it with. */
  readonly verified: boolean | null;
  /** The reason for which it is not verified; null if it is. */
  readonly problem: string | null;
  readonly delivery_id: string | null;
};

/** The time in which received events are still answered after a request to stop. */
const LAST_ANSWERS_MILLISECONDS = 1_000;
/** Far larger than any event. */
const MAX_BODY_BYTES = 256 * 1_024;

/** Listens at 127.0.0.1 for events. Throws {@link CommandError} if the port is in use. */
export async function startReceiver({
  port,
  status,
  secret,
  onEvent,
}: ReceiverSettings): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = fastify({ bodyLimit: MAX_BODY_BYTES });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  server.setNotFoundHandler((_, reply) => reply.code(405).send());
  server.post('*', async ({ headers, body }, reply) => {
    const received = eventOf(headers, (body ?? Buffer.alloc(0)) as Buffer, await secret, new Date());
    return reply.code(onEvent(received) ? status : 503).send();
  });
  try {
    const url = await server.listen({ host: '127.0.0.1', port });
    const stop = async (): Promise<void> => {
      await Promise.race([server.close(), wait(LAST_ANSWERS_MILLISECONDS, undefined, { ref: false })]);
      server.server.closeAllConnections();
    };
    return { url: `${url}/`, stop };
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    throw new CommandError(`Port ${port} is in use: choose another one, or leave out --port.`);
  }
}

function eventOf(headers: IncomingHttpHeaders, body: Buffer, secret: string | null, receivedAt: Date): ReceivedEvent {
  const envelope = objectOf(parsed(body));
  const { id, resource_type } = objectOf(envelope['data']);
  const problem =
    secret === null
      ? 'there is no secret to verify it with'
      : verificationProblem({ headers, body }, secret, receivedAt);
  return {
    received_at: receivedAt.toISOString(),
    event_type: textOf(envelope['type']) ?? textOf(headers['service-webhook-event']),
    event_id: textOf(envelope['id']) ?? textOf(headers['service-webhook-id']),
    occurred_at: textOf(envelope['occurred_at']),
    resource: typeof id === 'string' && typeof resource_type === 'string' ? { id, resource_type } : null,
    verified: secret === null ? null : problem === null,
    problem,
    delivery_id: textOf(headers['service-webhook-delivery-id']),
  };
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * An event in one line for people. Control characters are replaced and long texts cut, whatever was received.
 */
export function lineOf({ received_at, event_type, resource, event_id, verified, problem, delivery_id }: ReceivedEvent) {
  const verdict = verified === null ? 'not verified: no secret' : verified ? 'verified' : `NOT VERIFIED: ${problem}`;
  const about = resource === null ? '-' : `${resource.resource_type} ${resource.id}`;
  return [received_at, event_type ?? '-', about, event_id ?? '-', verdict, delivery_id ?? '-']
    .map(displayable)
    .join('  ');
}

const MAX_DISPLAYED_LENGTH = 200;

function displayable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD').slice(0, MAX_DISPLAYED_LENGTH);
}
