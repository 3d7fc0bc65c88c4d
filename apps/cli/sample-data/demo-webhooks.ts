import { ChangeWebhook, CreateWebhook } from '#webhooks/endpoint/webhook-handlers.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import type { Receiver } from '#webhooks/url-guard/url-guard.js';
import { operatorContext } from '../command-context.js';
import type { Installation } from '../installation.js';
import { type Calendar, dayOf, instantOn } from './calendar.js';
import { DEMO } from './data-files.js';
import { type DemoReceiver, findDemoEndpoints, startDemoReceiver, urlOf } from './demo-receiver.js';
import { openSeeding } from './seeding.js';
import type { Step } from './steps.js';

/** The demo's endpoints, one for each way in which receivers answer: each gets the events from its day on. */
export function webhookSteps(receiver: Receiver): (calendar: Calendar) => readonly Step[] {
  return (calendar) =>
    DEMO.endpoints.map(({ system, name, events, on }) => ({
      at: instantOn(calendar, dayOf(on, calendar), 0),
      who: null,
      run: async ({ send, contextOf }) => {
        const endpoint = { name, url: urlOf(receiver, system), subscribed_events: events };
        await send(new CreateWebhook(contextOf('webhook', system), endpoint, null));
      },
    }));
}

/**
 * Starts the receiver of the demo that the installation has, where it listened before if it can, and points
 * the demo's endpoints at it where it cannot. Null where the installation has no such endpoint.
 */
export async function resumeDemoReceiver(
  installation: Pick<Installation, 'pool' | 'eventStore' | 'keys'>,
): Promise<DemoReceiver | null> {
  const { pool } = installation;
  const endpoints = await findDemoEndpoints(pool, DEMO.organisation.subdomain);
  const [first] = endpoints;
  if (first === undefined) return null;
  const receiver = await startDemoReceiver(first.port);
  const astray = endpoints.filter(({ port }) => port !== receiver.port);
  if (astray.length === 0) return receiver;
  const organisation = (await findOrganisation(pool, DEMO.organisation.subdomain))!;
  const { send } = await openSeeding(installation, [receiver]);
  for (const { id, system } of astray) {
    const context = { ...operatorContext(organisation), actor: { type: 'system', id: 'demo' } } as const;
    await send(new ChangeWebhook(context, id, null, { changes: { url: urlOf(receiver, system) } }));
  }
  return receiver;
}
