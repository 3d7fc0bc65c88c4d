import type { Provider } from '@nestjs/common';
import type { InstallationKeys } from '#database/installation-keys.js';
import { WorkRequests } from '#jobs/requested-work.js';
import { Projector } from '#projections/projector.js';
import { AvatarLinks } from '#people/picture/avatar-links.js';
import { servePictures } from '#people/picture/serve-pictures.js';
import { RESOURCE_MODULES, SANDBOX_MODULES } from '#composition/modules.js';
import { publicEventsOf } from '#webhooks/publish/public-events.js';
import { AGGREGATES, createProjector } from '#composition/registry.js';
import type { EndpointUrls } from '#webhooks/url-guard/endpoint-url.js';
import type { DeliveryQueue } from '#webhooks/deliver/delivery-queues.js';
import { DELIVERY_QUEUE, ENDPOINT_URLS } from '#webhooks/injection-tokens.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { IdMint } from '#identifiers/id-mint.js';
import { openIdSettings } from '#configuration/openid-connect.js';
import { serveOpenIdConnect } from './console/openid-routes.js';
import { serveEventFeed } from './console/event-feed.js';
import { serveConsole } from './console/console-page.js';
import { serveConsoleSessions } from './console/console-sessions.js';
import { serveHeadCount } from './console/head-count.js';
import { servePreviews } from './console/previews.js';
import { ConsoleModule } from './console/console.module.js';
import { type ListenerOptions, type RunningApi, startListener, SYSTEM_CLOCK } from './listener.js';

/** The dependencies of an API process with all resources. */
export interface ApiOptions extends Omit<ListenerOptions, 'modules' | 'providers' | 'otherRoutes' | 'keys'> {
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
  const links = avatarLinks(options);
  const projector = options.projector ?? createProjector(clock);
  const providers = [
    { provide: Projector, useValue: projector },
    { provide: AvatarLinks, useValue: links },
    { provide: WorkRequests, useValue: options.work ?? new WorkRequests(null) },
    ...webhookProviders(options),
  ];
  return startListener({
    ...options,
    modules: options.environment === 'sandbox' ? SANDBOX_MODULES : [...RESOURCE_MODULES, ConsoleModule],
    providers,
    otherRoutes: (fastify, access) => {
      const { pool, configuration } = options;
      servePictures(fastify, { pool, links, clock });
      // A sandbox has synthetic people for keys, and no users.
      if (options.environment === 'live') {
        serveConsole(fastify);
        const settings = openIdSettings(configuration);
        const parts = { clock, access, publicUrl: configuration.publicUrl };
        servePreviews(fastify, { eventStore: options.eventStore, pool, access });
        serveHeadCount(fastify, pool);
        const mint = new IdMint(options.keys.ids);
        serveConsoleSessions(fastify, { ...parts, pool, hasProvider: settings !== null });
        serveEventFeed(fastify, {
          access,
          eventStore: options.eventStore,
          publicEventsOf: (events) => publicEventsOf(mint, AGGREGATES, events),
          now: () => clock.now().getTime(),
        });
        if (settings !== null) serveOpenIdConnect(fastify, { ...parts, settings, pool });
      }
    },
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
