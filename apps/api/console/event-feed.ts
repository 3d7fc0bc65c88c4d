import { PassThrough } from 'node:stream';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, EVENT_STORE } from '#commands/injection-tokens.js';
import { AGGREGATES } from '#composition/registry.js';
import { reasonOf } from '#configuration/error-for-log.js';
import type { EventStore } from '#event-store/event-store.js';
import { HttpError } from '#http/errors.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { AuthenticationGuard } from '#http/pipeline/authentication-guard.js';
import { IdMint } from '#identifiers/id-mint.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Clock } from '#kernel/clock.js';
import type { Scope } from '#kernel/scopes.js';
import type { LoggedEvent } from '#webhooks/deliver/envelope.js';
import { mayRead } from '#webhooks/endpoint/subscription-scopes.js';
import { publicEventsOf } from '#webhooks/publish/public-events.js';

/** The scope without which a caller has no feed. */
export const FEED_SCOPE: Scope = 'webhooks:manage';
/**
 * The maximum number of open streams: of one key or user, of one organisation, of a process. No caller blocks
 * others by opening many.
 */
const MAX_STREAMS_PER_CALLER = 5;
const MAX_STREAMS_PER_ORGANISATION = 20;
const MAX_STREAMS = 1_000;
/** The maximum amount of pending data for a slow reader, in characters; the stream of a slower one ends. */
const MAX_BACKLOG = 65_536;
const BATCH_SIZE = 256;
/** In milliseconds: the interval at which callers are authenticated again. */
const CHECK_MILLISECONDS = 1_000;
/** In milliseconds: keeps proxies from treating a quiet stream as broken. */
const COMMENT_MILLISECONDS = 15_000;
const MAX_MILLISECONDS = 60 * 60_000;

interface FeedStream {
  readonly request: FastifyRequest;
  readonly body: PassThrough;
  readonly openedAt: number;
  key: AuthenticatedKey;
  commentedAt: number;
}

/**
 * Sends the events of webhooks as server-sent events (docs/reference/access.md): from the time of the request
 * on, without replay. All streams of a process share one subscription to the log, which exists only while
 * there is a stream.
 */
@Injectable()
export class EventFeed implements BeforeApplicationShutdown {
  private readonly streams = new Set<FeedStream>();
  private following: AbortController | null = null;
  private checks: NodeJS.Timeout | null = null;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly mint: IdMint,
    private readonly authentication: AuthenticationGuard,
  ) {}

  /**
   * Opens a stream for the caller of a request. Throws {@link HttpError} (429) beyond the maximum number of
   * streams.
   */
  async open(request: FastifyRequest, key: AuthenticatedKey): Promise<PassThrough> {
    this.assertRoom(key);
    const now = this.now();
    const body = new PassThrough();
    const stream: FeedStream = { request, body, openedAt: now, key, commentedAt: now };
    this.streams.add(stream);
    body.once('close', () => this.forget(stream));
    if (this.following === null) await this.follow(request);
    this.checks ??= setInterval(() => void this.check(), CHECK_MILLISECONDS).unref();
    // Tells the reader that it misses no event from here on.
    body.write(': open\n\n');
    return body;
  }

  private assertRoom({ keyId, organisation }: AuthenticatedKey): void {
    const open = [...this.streams].filter(({ key }) => key.organisation.id === organisation.id);
    if (open.filter(({ key }) => key.keyId === keyId).length >= MAX_STREAMS_PER_CALLER)
      throw tooMany('of this caller', MAX_STREAMS_PER_CALLER);
    if (open.length >= MAX_STREAMS_PER_ORGANISATION)
      throw tooMany('of this organisation', MAX_STREAMS_PER_ORGANISATION);
    if (this.streams.size >= MAX_STREAMS) throw tooMany('of this process', MAX_STREAMS);
  }

  /** Ends all streams, for which the listener would wait. */
  beforeApplicationShutdown(): void {
    this.stop();
  }

  private stop(): void {
    for (const { body } of this.streams) body.end();
  }

  private async follow({ log }: FastifyRequest): Promise<void> {
    const following = new AbortController();
    this.following = following;
    const after = await this.eventStore.head();
    void this.send(after, following.signal).catch((error: unknown) => {
      if (!following.signal.aborted) log.warn({ reason: reasonOf(error) }, 'the feed of events lost the event log');
      // Browsers reconnect after a while, and then follow from that time on.
      this.stop();
    });
  }

  private async send(after: string | null, signal: AbortSignal): Promise<void> {
    for await (const batch of this.eventStore.subscribe({ after, signal, batchSize: BATCH_SIZE })) {
      const watched = new Set([...this.streams].map(({ key }) => key.organisation.id));
      const seen = batch.filter(({ stream }) => watched.has(partsOfStream(stream).organisationId));
      for (const event of publicEventsOf(this.mint, AGGREGATES, seen)) this.sendOne(event);
    }
  }

  private sendOne({ organisationId, id, type, occurredAt, resourceId, resourceType }: LoggedEvent): void {
    let text: string | null = null;
    for (const { key, body } of this.streams) {
      if (key.organisation.id !== organisationId || !mayRead(key.scopes, type)) continue;
      text ??= `data: ${JSON.stringify({ id, type, occurred_at: occurredAt, data: { id: resourceId, resource_type: resourceType } })}\n\n`;
      // The end of a stream waits behind unread data, so only closing the connection frees its slot.
      if (body.writableLength > MAX_BACKLOG) body.destroy();
      else if (!body.writableEnded) body.write(text);
    }
  }

  /**
   * Ends the streams of callers whose key or session has ended, lost the scope, or is idle: a stream does not
   * extend a session.
   */
  private async check(): Promise<void> {
    for (const stream of this.streams) {
      const now = this.now();
      const key = await this.authentication.current(stream.request).catch(() => null);
      if (key === null || !key.scopes.has(FEED_SCOPE) || now - stream.openedAt > MAX_MILLISECONDS) {
        if (stream.body.writableEnded) stream.body.destroy();
        else stream.body.end();
        continue;
      }
      stream.key = key;
      if (now - stream.commentedAt < COMMENT_MILLISECONDS) continue;
      stream.commentedAt = now;
      stream.body.write(':\n\n');
    }
  }

  private now(): number {
    return this.clock.now().getTime();
  }

  private forget(stream: FeedStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    this.following?.abort();
    this.following = null;
    if (this.checks !== null) clearInterval(this.checks);
    this.checks = null;
  }
}

function tooMany(whose: string, limit: number): HttpError {
  return new HttpError('rate_limited', {
    message: `Too many streams ${whose} are open: at most ${limit}.`,
    headers: { 'retry-after': '10' },
  });
}
