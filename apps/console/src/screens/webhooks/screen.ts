import { IconWebhook } from '@tabler/icons-react';
import type { Screen } from '../../screen.js';

export const webhooks: Screen = {
  path: '/webhooks',
  name: 'webhooks',
  scopes: ['webhooks:manage'],
  texts: ['webhooks'],
  navigation: { label: 'webhooks', group: 'connections', icon: IconWebhook },
  load: () => import('./webhooks.js').then(({ Webhooks }) => Webhooks),
};

export const webhook: Screen = {
  path: '/webhooks/$webhookId',
  name: 'webhook',
  scopes: ['webhooks:manage'],
  texts: ['webhooks'],
  navigation: null,
  load: () => import('./webhook.js').then(({ Webhook }) => Webhook),
};
