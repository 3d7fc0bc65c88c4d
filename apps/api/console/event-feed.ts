import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errorBody, HttpError } from '#http/errors.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { deniedBy } from '#http/pipeline/guards.js';
import { reasonOf } from '#configuration/error-for-log.js';
import { stateOf } from '#http/pipeline/request-state.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { mayRead } from '#webhooks/endpoint/subscription-scopes.js';
import type { LoggedEvent } from '#webhooks/deliver/envelope.js';
import type { Access } from './access.js';

/** The dependencies of the feed. */
export interface EventFeedParts {
  readonly eventStore: EventStore;
  readonly access: Access;
  /** Maps recorded events to published ones. */
  readonly publicEventsOf: (events: readonly RecordedEvent[]) => readonly LoggedEvent[];
  readonly now: () => number;
}

const SCOPE = 'webhooks:manage';
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
class EventFeed {
  private readonly streams = new Set<FeedStream>();
  private following: AbortController | null = null;
  private checks: NodeJS.Timeout | null = null;

  /** @param report called with the error of the subscription to the log */
  constructor(
    private readonly parts: EventFeedParts,
    private readonly report: (error: unknown) => void,
  ) {}

  /**
   * Opens a stream for the caller of a request. Throws {@link HttpError}: without the scope (403), beyond the
   * maximum number of streams (429).
   */
  async open(request: FastifyRequest): Promise<PassThrough> {
    const { key } = stateOf(request);
    if (key === null) throw new Error('a request for the feed was not admitted');
    if (!key.scopes.has(SCOPE)) throw deniedBy('scope', { scope: SCOPE }, key);
    this.assertRoom(key);
    const now = this.parts.now();
    const body = new PassThrough();
    const stream: FeedStream = { request, body, openedAt: now, key, commentedAt: now };
    this.streams.add(stream);
    body.once('close', () => this.forget(stream));
    if (this.following === null) await this.follow();
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

  /** Ends all streams. */
  stop(): void {
    for (const { body } of this.streams) body.end();
  }

  private async follow(): Promise<void> {
    const following = new AbortController();
    this.following = following;
    const after = await this.parts.eventStore.head();
    void this.send(after, following.signal).catch((error: unknown) => {
      if (!following.signal.aborted) this.report(error);
      // Browsers reconnect after a while, and then follow from that time on.
      this.stop();
    });
  }

  private async send(after: string | null, signal: AbortSignal): Promise<void> {
    for await (const batch of this.parts.eventStore.subscribe({ after, signal, batchSize: BATCH_SIZE })) {
      const watched = new Set([...this.streams].map(({ key }) => key.organisation.id));
      const seen = batch.filter(({ stream }) => watched.has(partsOfStream(stream).organisationId));
      for (const event of this.parts.publicEventsOf(seen)) this.sendOne(event);
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
      const now = this.parts.now();
      const key = await this.parts.access.current(stream.request).catch(() => null);
      if (key === null || !key.scopes.has(SCOPE) || now - stream.openedAt > MAX_MILLISECONDS) {
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

/** Serves the feed at `GET /console/events`, for sessions and API keys. */
export function serveEventFeed(fastify: FastifyInstance, parts: EventFeedParts): void {
  const feed = new EventFeed(parts, (error) =>
    fastify.log.warn({ reason: reasonOf(error) }, 'the feed of events lost the event log'),
  );
  const config = { plain: { name: 'followEvents', callers: 'all' as const, errorBody } };
  // HEAD is excluded: the headers of a stream have no use alone.
  fastify.get('/console/events', { config, exposeHeadRoute: false }, async (request, reply) => {
    const body = await feed.open(request);
    return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(body);
  });
  fastify.addHook('preClose', (done) => {
    feed.stop();
    done();
  });
}
