import { fastify, type FastifyReply } from 'fastify';
import { codeOf } from '#database/error-code.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import { ChangeWebhook, CreateWebhook } from '#webhooks/endpoint/webhook-handlers.js';
import type { Receiver } from '#webhooks/url-guard/url-guard.js';
import { operatorContext } from '../command-context.js';
import type { Installation } from '../installation.js';
import { type Calendar, instantOn, withDays } from './calendar.js';
import { DEMO } from './data-files.js';
import { openSeeding } from './seeding.js';
import type { Step } from './steps.js';

/**
 * The receiver of the demo's webhooks. It listens only on the loopback address, and stores nothing.
 */
export interface DemoReceiver extends Receiver {
  stop(): Promise<void>;
}

const ADDRESS = '127.0.0.1';
const PREFIX = '/demo-receiver/';

/** The systems behind the receiver; each answers in its own way, so that deliveries have every outcome. */
const SYSTEMS: Readonly<Record<string, (type: unknown, reply: FastifyReply) => unknown>> = {
  /** Accepts everything. */
  payroll: (_, reply) => reply.code(204).send(),
  /** Cannot take ends at the moment: the deliveries are retried. */
  directory: (type, reply) => reply.code(type === 'person.ended' ? 503 : 204).send(),
  /** Breaks the connection: the deliveries are retried. */
  badges: (_, reply) => reply.hijack().raw.destroy(),
  /** Does not know the address: the deliveries fail. */
  rota: (_, reply) => reply.code(404).send(),
  /** Is gone for good: the first delivery disables the endpoint. */
  former: (_, reply) => reply.code(410).send(),
};

function urlOf({ address, port }: Receiver, system: string): string {
  return `http://${address}:${port}${PREFIX}${system}`;
}

/** Listens on the requested port, or on a free one if that is in use; 0: any free one. */
export async function startDemoReceiver(requestedPort: number): Promise<DemoReceiver> {
  const server = fastify({ forceCloseConnections: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, __, done) => done(null));
  for (const [name, answer] of Object.entries(SYSTEMS))
    server.post(`${PREFIX}${name}`, ({ headers }, reply) => answer(headers['service-webhook-event'], reply));
  try {
    const url = await server.listen({ host: ADDRESS, port: requestedPort });
    return { address: ADDRESS, port: Number(new URL(url).port), stop: () => server.close() };
  } catch (error) {
    if (requestedPort === 0 || codeOf(error) !== 'EADDRINUSE') throw error;
    return startDemoReceiver(0);
  }
}

/**
 * Creates the demo's endpoints, one for each behaviour of receivers; each gets the events from its day on.
 */
export function webhookSteps(receiver: Receiver): (calendar: Calendar) => readonly Step[] {
  return (calendar) =>
    withDays(DEMO.endpoints, calendar).map(({ system, name, events, on }) => ({
      at: instantOn(calendar, on, 0),
      who: null,
      run: async ({ send, contextOf }) => {
        const endpoint = { name, url: urlOf(receiver, system), subscribed_events: events };
        await send(new CreateWebhook(contextOf('webhook', system), endpoint, null));
      },
    }));
}

/**
 * Starts the receiver of the installation's demo, on its former port if that is free; otherwise it changes
 * the address of the demo's endpoints. Null if the installation has no such endpoint.
 */
export async function resumeDemoReceiver(
  installation: Pick<Installation, 'pool' | 'eventStore' | 'keys'>,
): Promise<DemoReceiver | null> {
  const { pool } = installation;
  const { rows } = await pool.query<{ id: string; url: string }>(
    `select w.id, w.url from webhooks w join organisations o on o.id = w.organisation_id
      where o.subdomain = $1 and w.url like $2 order by w.id`,
    [DEMO.organisation.subdomain, `http://${ADDRESS}:%${PREFIX}%`],
  );
  const [first] = rows;
  if (first === undefined) return null;
  const receiver = await startDemoReceiver(Number(new URL(first.url).port));
  const moved = rows.map(({ id, url }) => ({
    id,
    before: url,
    url: urlOf(receiver, new URL(url).pathname.slice(PREFIX.length)),
  }));
  const astray = moved.filter(({ before, url }) => before !== url);
  if (astray.length === 0) return receiver;
  const organisation = (await findOrganisation(pool, DEMO.organisation.subdomain))!;
  const { send } = await openSeeding(installation, [receiver]);
  for (const { id, url } of astray) {
    const context = { ...operatorContext(organisation), actor: { type: 'system', id: 'demo' } } as const;
    await send(new ChangeWebhook(context, id, null, { changes: { url } }));
  }
  return receiver;
}
