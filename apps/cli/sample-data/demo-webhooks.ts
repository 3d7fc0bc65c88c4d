import { addDays } from '#kernel/dates.js';
import { ChangeWebhook, CreateWebhook } from '#webhooks/endpoint/webhook-handlers.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import type { Receiver } from '#webhooks/url-guard/url-guard.js';
import { operatorContext } from '../command-context.js';
import type { Installation } from '../installation.js';
import { type Calendar, instantOn } from './calendar.js';
import { type DemoReceiver, findDemoEndpoints, startDemoReceiver, type System, urlOf } from './demo-receiver.js';
import { openSeeding } from './seeding.js';
import type { StepContext, Step } from './steps.js';

/** The subdomain of the demo organisation. */
export const DEMO_SUBDOMAIN = 'demo';

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
    events: [
      'person.created',
      'person.updated',
      'person.ended',
      'person.reactivated',
      'time_off.approved',
      'time_off.cancelled',
    ],
  },
  {
    system: 'directory',
    name: 'Directory',
    events: ['person.created', 'person.updated', 'person.ended', 'person.reactivated'],
  },
  { system: 'badges', name: 'Door badges', events: ['person.created'] },
  { system: 'rota', name: 'Rota (switched off)', events: ['person.ended'] },
];

/**
 * The demo's endpoints, a week before its last day: one for each way in which receivers answer, and one that
 * was disabled long ago.
 */
export function webhookSteps(receiver: Receiver): (calendar: Calendar) => readonly Step[] {
  return (calendar) => {
    const create = async (
      { send, contextOf }: StepContext,
      { system, name, events }: DemoEndpointSettings,
      seed: string,
    ): Promise<string> => {
      const endpoint = { name, url: urlOf(receiver, system), subscribed_events: events };
      return (await send(new CreateWebhook(contextOf('webhook', seed), endpoint, null))).webhook.id;
    };
    const former = {
      system: 'payroll',
      name: 'Payroll (former provider)',
      events: ['person.created', 'person.ended'],
    } as const;
    return [
      {
        at: instantOn(calendar, addDays(calendar.today, -400), 30),
        who: null,
        run: async (stepContext) => {
          const id = await create(stepContext, former, 'former');
          const context = stepContext.contextOf('webhook', 'former', 'disable');
          await stepContext.send(new ChangeWebhook(context, id, null, { changes: {}, status: 'disabled' }));
        },
      },
      {
        at: instantOn(calendar, addDays(calendar.today, -DAYS_OF_EVENTS), 0),
        who: null,
        run: async (stepContext) => {
          for (const settings of ENDPOINTS) await create(stepContext, settings, settings.system);
        },
      },
    ];
  };
}

/**
 * Starts the receiver of the demo that the installation has, where it listened before if it can, and points
 * the demo's endpoints at it where it cannot. Null where the installation has no such endpoint.
 */
export async function resumeDemoReceiver(
  installation: Pick<Installation, 'pool' | 'eventStore' | 'keys'>,
): Promise<DemoReceiver | null> {
  const { pool } = installation;
  const endpoints = await findDemoEndpoints(pool, DEMO_SUBDOMAIN);
  const [first] = endpoints;
  if (first === undefined) return null;
  const receiver = await startDemoReceiver(first.port);
  const astray = endpoints.filter(({ port }) => port !== receiver.port);
  if (astray.length === 0) return receiver;
  const organisation = (await findOrganisation(pool, DEMO_SUBDOMAIN))!;
  const { send } = await openSeeding(installation, [receiver]);
  for (const { id, system } of astray) {
    const context = { ...operatorContext(organisation), actor: { type: 'system', id: 'demo' } } as const;
    await send(new ChangeWebhook(context, id, null, { changes: { url: urlOf(receiver, system) } }));
  }
  return receiver;
}
