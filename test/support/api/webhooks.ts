import { randomUUID } from 'node:crypto';
import type { WebhookOptions } from '#api/start-api.js';
import type { EndpointUrls } from '#webhooks/url-guard/endpoint-url.js';
import type { DueDelivery } from '#webhooks/deliver/delivery-queues.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { type ApiAnswer, type ApiClient, dataOf, type SendOptions } from './http-client.js';
import type { Delivery, TestAnswer, Webhook } from './shapes.js';

/** Returns a valid body of a new endpoint. */
export function newEndpoint(fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    name: 'Payroll',
    url: `https://${randomUUID()}.example.com/hooks`,
    subscribed_events: ['person.created'],
    ...fields,
  };
}

/** Actions of a caller on webhooks. They throw where an answer is not a success. */
export class WebhookActions {
  constructor(private readonly caller: { readonly client: ApiClient }) {}

  async create(
    fields: Readonly<Record<string, unknown>> = {},
    options: SendOptions = {},
  ): Promise<Webhook & { readonly signing_secret: string }> {
    return dataOf(
      201,
      await this.caller.client.post<Webhook & { readonly signing_secret: string }>(
        '/webhooks',
        newEndpoint(fields),
        options,
      ),
    );
  }

  async read(id: string): Promise<Webhook> {
    return dataOf(200, await this.caller.client.get<Webhook>(`/webhooks/${id}`));
  }

  async change(id: string, changes: object): Promise<Webhook> {
    return dataOf(200, await this.caller.client.patch<Webhook>(`/webhooks/${id}`, changes));
  }

  /** Sends the synthetic event. */
  async test(id: string, options: SendOptions = {}): Promise<TestAnswer> {
    return dataOf(200, await this.tryTest(id, options));
  }

  tryTest(id: string, options: SendOptions = {}): Promise<ApiAnswer<TestAnswer>> {
    return this.caller.client.post(`/webhooks/${id}/test`, { event_type: 'webhook.test' }, options);
  }

  redeliver(id: string, deliveryId: string): Promise<ApiAnswer<Delivery>> {
    return this.caller.client.send('POST', `/webhooks/${id}/deliveries/${deliveryId}/redeliver`);
  }
}

/** Names in tests: some resolve to a private network, some to nothing, the others to a public address. */
const PRIVATE_NAME = '.private.example';
const MISSING_NAME = '.missing.example';

/** The product's guard, with names that are resolved without DNS. */
export const TEST_URLS: EndpointUrls = new UrlGuard({
  allowedCidrs: [],
  resolve: async (hostname) => {
    if (hostname.endsWith(MISSING_NAME)) throw new Error('nobody has this name');
    return [{ address: hostname.endsWith(PRIVATE_NAME) ? '10.0.0.1' : '93.184.215.14', family: 4 }];
  },
});

/** The webhook options of a test; due attempts are collected. */
export function testWebhooks(due: DueDelivery[] = []): WebhookOptions {
  return { urls: TEST_URLS, deliveries: { add: async (more) => void due.push(...more) } };
}
