import type { ClientReadableStream } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { entityKeyOf, type Position } from '../event-store.js';
import type { Attempt, Calls } from './calls.js';
import { NoAnswerError } from './errors.js';
import { logPositionOf, textOfDigits } from './positions.js';
import { isOursOf, type RawEvent } from './recorded-event.js';

/** A part of the log. */
interface RawPage {
  readonly events: readonly RawEvent[];
  /** Everything at or before it was looked at. */
  readonly after: Position | null;
  /** Whether that is all up to the position asked for. */
  readonly isEnd: boolean;
}

/** Which part of the log to read. */
interface PageOfCategories {
  readonly categories: readonly string[];
  /** Exclusive. */
  readonly after: Position | null;
  /** Inclusive; the log shows it. */
  readonly upTo: Position;
  readonly limit: number;
}

/** The server reports how far it is at least every 32 times so many events, whether they are of the categories or not. */
const CHECKPOINT_INTERVAL = 32;

/** Events that are read ahead and kept in memory at a time, twice. */
const PAGE = 4_000;

/** The events of some categories up to a position (inclusive), of entities after a key (exclusive, in byte order), in the order of the log. */
export async function* eventsOfCategories(
  calls: Calls,
  categories: readonly string[],
  { upTo, after }: { readonly upTo: Position; readonly after: string | null },
): AsyncIterable<readonly RawEvent[]> {
  const pageAfter = (last: Position | null): Promise<RawPage> => {
    const page = readCategories(calls, { categories, after: last, upTo, limit: PAGE });
    // Read ahead: where the caller leaves early, a failure has nobody who waits for it.
    page.catch(() => undefined);
    return page;
  };
  const key = after === null ? null : Buffer.from(after);
  const isWanted = ({ stream }: RawEvent): boolean => key === null || Buffer.compare(Buffer.from(entityKeyOf(stream)), key) > 0;
  let next: Promise<RawPage> | null = pageAfter(null);
  while (next !== null) {
    const page: RawPage = await next;
    next = page.isEnd ? null : pageAfter(page.after);
    const events = page.events.filter(isWanted);
    if (events.length > 0) yield events;
  }
}

/**
 * The next events of some categories. The server leaves out all others, so this is a subscription that ends with the page: of the reads that
 * filter only subscriptions tell how far they are while nothing matches.
 */
function readCategories(calls: Calls, wanted: PageOfCategories): Promise<RawPage> {
  return calls.make(({ client, options, milliseconds }: Attempt) =>
    client.call(options, (call) => pageOf(call.client.read(requestOf(wanted), call.metadata, call.options), wanted, milliseconds)),
  );
}

async function pageOf(
  call: ClientReadableStream<streams.ReadResp>,
  { after, upTo, limit }: PageOfCategories,
  milliseconds: number,
): Promise<RawPage> {
  const events: RawEvent[] = [];
  let reached = after;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<RawPage>((resolve, reject) => {
      timer = setTimeout(() => reject(new NoAnswerError(milliseconds)), milliseconds);
      // Stays after the end: cancelling makes an error, too.
      call.on('error', reject);
      call.on('end', () => reject(new NoAnswerError(milliseconds)));
      call.on('data', (response: streams.ReadResp) => {
        timer?.refresh();
        const at = positionOf(response);
        const isBeyond = at !== null && at > upTo;
        const event = at === null || isBeyond ? null : rawEventOf(response, at);
        if (event !== null && events.length < limit) events.push(event);
        if (at !== null && !isBeyond && events.length <= limit) reached = at;
        const isEnd = isBeyond || at === upTo || response.hasCaughtUp();
        if (isEnd || events.length >= limit) resolve({ events, after: reached, isEnd });
      });
    });
  } finally {
    clearTimeout(timer);
    call.cancel();
  }
}

function requestOf({ categories, after }: PageOfCategories): streams.ReadReq {
  const all = new streams.ReadReq.Options.AllOptions();
  if (after === null) {
    all.setStart(new shared.Empty());
  } else {
    const { commit, prepare } = logPositionOf(after);
    all.setPosition(new streams.ReadReq.Options.Position().setCommitPosition(commit.toString()).setPreparePosition(prepare.toString()));
  }
  const names = new streams.ReadReq.Options.FilterOptions.Expression().setPrefixList(categories.map((category) => `${category}-org_`));
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setStreamIdentifier(names)
    .setCount(new shared.Empty())
    .setCheckpointintervalmultiplier(CHECKPOINT_INTERVAL);
  const options = new streams.ReadReq.Options()
    .setAll(all)
    .setSubscription(new streams.ReadReq.Options.SubscriptionOptions())
    .setFilter(filter)
    .setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()));
  return new streams.ReadReq().setOptions(options);
}

/** How far the log was read with this message; null where it does not say. */
function positionOf(response: streams.ReadResp): Position | null {
  const place = response.getCheckpoint() ?? response.getEvent()?.getEvent();
  if (place === undefined) return null;
  return textOfDigits(place.getCommitPosition(), place.getPreparePosition());
}

function rawEventOf(response: streams.ReadResp, position: Position): RawEvent | null {
  const event = response.getEvent()?.getEvent();
  if (event === undefined) return null;
  const properties = event.getMetadataMap();
  const type = properties.get('type') ?? '';
  const stream = Buffer.from(event.getStreamIdentifier()!.getStreamName_asU8()).toString('utf8');
  if (!isOursOf({ type, stream, isJson: properties.get('content-type') === 'application/json' })) return null;
  return {
    stream,
    revision: Number(event.getStreamRevision()),
    id: event.getId()!.getString(),
    type,
    position,
    created: properties.get('created') ?? '0',
    data: textIn(event.getData_asU8()),
    metadata: textIn(event.getCustomMetadata_asU8()),
  };
}

function textIn(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
