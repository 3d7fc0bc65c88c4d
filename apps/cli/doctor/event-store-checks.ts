import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import { type EventStoreNode, parseEventStoreUrl } from '#configuration/event-store-url.js';
import { AnotherEventLogError, type EventStore } from '#event-store/event-store.js';
import { openAnyEventStore, rememberedLog } from '../event-store.js';
import { failed, ok, warning, type Finding } from './check.js';
import { protocolOf } from './tls-probe.js';

/**
 * Whether the event store answers, contains the log of this installation, and uses TLS; `further` checks one
 * that answers. Throws the errors of the store.
 */
export async function checkEventStore(
  pool: Pool,
  configuration: Configuration,
  further: (store: EventStore) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const eventStore = await openAnyEventStore(configuration, pool);
  try {
    const head = await eventStore.head();
    const { first } = await rememberedLog(configuration, pool, eventStore).compare();
    const kind = configuration.eventStoreUrl === null ? 'PostgreSQL' : 'EventStoreDB';
    const log =
      head === null
        ? ' and is empty'
        : first === null
          ? ''
          : ` and holds the log of this installation, which begins with event ${first.id}`;
    const answers = ok('event store', `The event store in ${kind} answers${log}.`);
    return [answers, ...encryption(configuration), ...(await further(eventStore))];
  } catch (error) {
    if (error instanceof AnotherEventLogError) return [failed('event store', error.message)];
    const mismatch = configuration.eventStoreUrl === null ? null : await tlsMismatch(configuration.eventStoreUrl);
    if (mismatch === null) throw error;
    return [mismatch];
  } finally {
    await eventStore.close();
  }
}

/**
 * Whether `EVENTSTORE_URL` and its nodes differ about TLS: a server with TLS does not answer a client without
 * it, as if it hung. Null if they agree, or if a node uses neither protocol.
 */
export async function tlsMismatch(eventStoreUrl: string): Promise<Finding | null> {
  const { tls, nodes } = parseEventStoreUrl(eventStoreUrl);
  const speeches = await Promise.all(nodes.map(async (node) => ({ node, speech: await protocolOf(node) })));
  const others = speeches.filter(({ speech }) => speech === (tls ? 'plain' : 'tls')).map(({ node }) => nameOf(node));
  if (others.length === 0) return null;
  const [names, verb] = [others.join(', '), others.length === 1 ? 'speaks' : 'speak'];
  return tls
    ? failed(
        'event store',
        `EventStoreDB at ${names} ${verb} without TLS, and EVENTSTORE_URL asks for TLS.`,
        'Let the server speak TLS, or add tls=false to EVENTSTORE_URL.',
      )
    : failed(
        'event store',
        `EventStoreDB at ${names} ${verb} TLS, and EVENTSTORE_URL has tls=false.`,
        'Take tls=false out of EVENTSTORE_URL, and name the authority of the certificate in tlsCAFile.',
      );
}

/** Warns of a connection without TLS, except to this machine, where traffic cannot be intercepted. */
function encryption({ eventStoreUrl }: Configuration): readonly Finding[] {
  if (eventStoreUrl === null) return [];
  const { tls, credentials, nodes } = parseEventStoreUrl(eventStoreUrl);
  if (tls || nodes.every(({ address }) => /^(localhost|127\.\d+\.\d+\.\d+)$/.test(address))) return [];
  const sent = credentials === null ? '' : ', and user and password are never sent';
  const message = `The connection to EventStoreDB does not use TLS: events cross the network unencrypted${sent}.`;
  return [warning('event store', message, 'Let the server speak TLS, and take tls=false out of EVENTSTORE_URL.')];
}

function nameOf({ address, port }: EventStoreNode): string {
  return `${address}:${port}`;
}
