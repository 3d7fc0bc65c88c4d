import type { Provider } from '@nestjs/common';
import type { InstallationKeys } from '#database/installation-keys.js';
import { WorkRequests } from '#jobs/requested-work.js';
import { Projector } from '#projections/projector.js';
import { AvatarLinks } from '#people/picture/avatar-links.js';
import { RESOURCE_MODULES, SANDBOX_MODULES } from '#composition/modules.js';
import { createProjector } from '#composition/registry.js';
import type { EndpointUrls } from '#webhooks/url-guard/endpoint-url.js';
import type { DeliveryQueue } from '#webhooks/deliver/delivery-queues.js';
import { DELIVERY_QUEUE, ENDPOINT_URLS } from '#webhooks/injection-tokens.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { openIdSettings } from '#configuration/openid-connect.js';
import { ConsoleModule } from './console/console.module.js';
import { type ListenerOptions, type RunningApi, startListener, SYSTEM_CLOCK } from './listener.js';

/** The dependencies of an API process with all resources. */
export interface ApiOptions extends Omit<ListenerOptions, 'modules' | 'providers' | 'keys'> {
  readonly keys: InstallationKeys;
  readonly webhooks?: WebhookOptions;
  /** Notifies workers of requested work; without it, the work waits for their sweep. */
  readonly work?: WorkRequests;
  /** The process's session; a new one by default. */
  readonly projector?: Projector;
}

/** The dependencies of webhooks besides the database. */
export interface WebhookOptions {
  /** By default the guard that allows public addresses and the configured ones. */
  readonly urls?: EndpointUrls;
  /** Without it deliveries wait for the worker's next sweep. */
  readonly deliveries?: DeliveryQueue;
}

/** Starts one listener of the API with all resources. Throws errors of listening and of the database. */
export function startApi(options: ApiOptions): Promise<RunningApi> {
  const clock = options.clock ?? SYSTEM_CLOCK;
  const projector = options.projector ?? createProjector(clock);
  const providers = [
    { provide: Projector, useValue: projector },
    { provide: AvatarLinks, useValue: avatarLinks(options) },
    { provide: WorkRequests, useValue: options.work ?? new WorkRequests(null) },
    ...webhookProviders(options),
  ];
  return startListener({
    ...options,
    modules:
      options.environment === 'sandbox'
        ? SANDBOX_MODULES
        : [...RESOURCE_MODULES, ConsoleModule.with(openIdSettings(options.configuration))],
    providers,
  });
}

const NO_QUEUE: DeliveryQueue = { add: () => Promise.resolve() };

function webhookProviders({ keys, configuration, webhooks = {} }: ApiOptions): readonly Provider[] {
  return [
    { provide: WebhookSecrets, useValue: new WebhookSecrets(keys.webhookSecrets) },
    {
      provide: ENDPOINT_URLS,
      useValue: webhooks.urls ?? new UrlGuard({ allowedCidrs: configuration.webhookAllowedCidrs }),
    },
    { provide: DELIVERY_QUEUE, useValue: webhooks.deliveries ?? NO_QUEUE },
  ];
}

function avatarLinks({ keys, environment, configuration }: ApiOptions): AvatarLinks {
  return new AvatarLinks({
    ring: keys.avatarLinks,
    environment,
    lifetimeSeconds: configuration.avatarUrlTtlSeconds,
    publicUrl: environment === 'live' ? configuration.publicUrl : configuration.sandboxPublicUrl,
  });
}
