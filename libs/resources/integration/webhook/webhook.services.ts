import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { DATABASE_POOL, EVENT_STORE } from '#http/injection-tokens.js';
import { IdMint } from '#identifiers/id-mint.js';
import { Projector } from '#projections/projector.js';
import type { EndpointUrls } from '#webhooks/url-guard/endpoint-url.js';
import { ENDPOINT_URLS } from '#webhooks/injection-tokens.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import type { TestServices } from './delivery.commands.js';
import type { WebhookServices } from './webhook.commands.js';

/** The dependencies of webhook commands, injected into handlers. */
@Injectable()
export class WebhookResourceServices implements WebhookServices, TestServices {
  constructor(
    @Inject(DATABASE_POOL) readonly executor: Pool,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly projector: Projector,
    readonly mint: IdMint,
    readonly secrets: WebhookSecrets,
    @Inject(ENDPOINT_URLS) readonly urls: EndpointUrls,
  ) {}
}
