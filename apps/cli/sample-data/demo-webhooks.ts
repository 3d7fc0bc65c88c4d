import type { Pool } from 'pg';
import type { Ring } from '#database/key-rings/key-ring.js';
import { addDays } from '#kernel/dates.js';
import { changeWebhook, createWebhook, type WebhookServices } from '#resources/integration/webhook/webhook.commands.js';
import { findOrganisation } from '#resources/organisation/organisation/organisation.queries.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { type Receiver, UrlGuard } from '#webhooks/url-guard/url-guard.js';
import type { CommandServices } from '#commands/execute.js';
import { operatorContext } from '../command-context.js';
import { type Calendar, momentOn } from './calendar.js';
import { findDemoEndpoints, type System, urlOf } from './demo-receiver.js';
import type { Bench, Step } from './steps.js';

/** The endpoints get what was recorded in the last days: everything else was before their time. */
const DAYS_OF_EVENTS = 7;

interface DemoEndpointSettings {
  readonly system: System;
  readonly name: string;
  readonly events: readonly string[];
}

const ENDPOINTS: readonly DemoEndpointSettings[] = [
  {
    system: 'payroll',
    name: 'Payroll',
    events: ['person.created', 'person.updated', 'person.ended', 'person.reactivated', 'time_off.approved', 'time_off.cancelled'],
  },
  { system: 'directory', name: 'Directory', events: ['person.created', 'person.updated', 'person.ended', 'person.reactivated'] },
  { system: 'badges', name: 'Door badges', events: ['person.created'] },
  { system: 'rota', name: 'Rota (switched off)', events: ['person.ended'] },
];

/** The demo's endpoints, a week before its last day: one for each way in which receivers answer, and one that was disabled long ago. */
export function webhookSteps(ring: Ring, receiver: Receiver): (calendar: Calendar) => readonly Step[] {
  return (calendar) => {
    const servicesOf = ({ services, pool }: Bench): WebhookServices => webhookServicesOf(services, pool, ring, receiver);
    const create = async (bench: Bench, { system, name, events }: DemoEndpointSettings, seed: string): Promise<string> => {
      const endpoint = { name, url: urlOf(receiver, system), subscribed_events: events };
      return (await createWebhook(servicesOf(bench), bench.contextOf('webhook', seed), endpoint, null)).webhook.id;
    };
    const former = { system: 'payroll', name: 'Payroll (former provider)', events: ['person.created', 'person.ended'] } as const;
    return [
      {
        at: momentOn(calendar, addDays(calendar.today, -400), 30),
        who: null,
        run: async (bench) => {
          const id = await create(bench, former, 'former');
          await changeWebhook(
            servicesOf(bench),
            bench.contextOf('webhook', 'former', 'disable'),
            id,
            { changes: {}, status: 'disabled' },
            null,
          );
        },
      },
      {
        at: momentOn(calendar, addDays(calendar.today, -DAYS_OF_EVENTS), 0),
        who: null,
        run: async (bench) => {
          for (const settings of ENDPOINTS) await create(bench, settings, settings.system);
        },
      },
    ];
  };
}

/** Points the demo's endpoints at the receiver where it listens on another port than before. */
export async function aimEndpoints(
  services: CommandServices,
  pool: Pool,
  ring: Ring,
  receiver: Receiver,
  subdomain: string,
): Promise<void> {
  const organisation = await findOrganisation(pool, subdomain);
  const astray = (await findDemoEndpoints(pool, subdomain)).filter(({ port }) => port !== receiver.port);
  for (const { id, system } of astray) {
    const changes = { url: urlOf(receiver, system) };
    const context = { ...operatorContext(organisation!), actor: { type: 'system', id: 'demo' } } as const;
    await changeWebhook(webhookServicesOf(services, pool, ring, receiver), context, id, { changes }, null);
  }
}

function webhookServicesOf(services: CommandServices, pool: Pool, ring: Ring, receiver: Receiver): WebhookServices {
  return {
    ...services,
    executor: pool,
    secrets: new WebhookSecrets(ring),
    urls: new UrlGuard({ allowedCidrs: [], ownReceivers: [receiver] }),
  };
}
