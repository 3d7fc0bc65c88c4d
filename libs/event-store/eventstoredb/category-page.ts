import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { entityKeyOf, type Position } from '../event-store.js';
import type { Calls } from './calls.js';
import type { ReadResponse, SentEvent } from './messages.js';
import { isOursOf } from './recorded-event.js';
import { placeInLog, readSent, uuidsAsText } from './sent-events.js';

/** A part of the log. */
interface SentPage {
  readonly events: readonly SentEvent[];
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
): AsyncIterable<readonly SentEvent[]> {
  const pageAfter = (last: Position | null): Promise<SentPage> => {
    const page = readCategories(calls, { categories, after: last, upTo, limit: PAGE });
    // Read ahead: where the caller leaves early, a failure has nobody who waits for it.
    page.catch(() => undefined);
    return page;
  };
  const key = after === null ? null : Buffer.from(after);
  const isWanted = ({ stream }: SentEvent): boolean => key === null || Buffer.compare(Buffer.from(entityKeyOf(stream)), key) > 0;
  let next: Promise<SentPage> | null = pageAfter(null);
  while (next !== null) {
    const page: SentPage = await next;
    next = page.isEnd ? null : pageAfter(page.after);
    const events = page.events.filter(isWanted);
    if (events.length > 0) yield events;
  }
}

/**
 * The next events of some categories. The server leaves out all others, so this is a subscription that ends with the page: of the reads that
 * filter only subscriptions tell how far they are while nothing matches.
 */
async function readCategories(calls: Calls, wanted: PageOfCategories): Promise<SentPage> {
  let page = new Page(wanted);
  await readSent(calls, requestOf(wanted), () => {
    page = new Page(wanted);
    return (response) => page.take(response);
  });
  return page;
}

class Page implements SentPage {
  readonly events: SentEvent[] = [];
  after: Position | null;
  isEnd = false;
  private isComplete = false;

  constructor(private readonly wanted: PageOfCategories) {
    this.after = wanted.after;
  }

  /** Returns whether the page is complete. */
  take({ event, checkpoint, isCaughtUp }: ReadResponse): boolean {
    // Some messages come between the last one that is wanted and the end of the call.
    if (this.isComplete) return true;
    const { upTo, limit } = this.wanted;
    const at = event?.position ?? checkpoint;
    const isBeyond = at !== null && at > upTo;
    if (at !== null && !isBeyond) {
      if (event !== null && isOursOf(event)) this.events.push(event);
      this.after = at;
    }
    this.isEnd = isBeyond || at === upTo || isCaughtUp;
    this.isComplete = this.isEnd || this.events.length >= limit;
    return this.isComplete;
  }
}

function requestOf({ categories, after }: PageOfCategories): streams.ReadReq {
  const names = new streams.ReadReq.Options.FilterOptions.Expression().setPrefixList(categories.map((category) => `${category}-org_`));
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setStreamIdentifier(names)
    .setCount(new shared.Empty())
    .setCheckpointintervalmultiplier(CHECKPOINT_INTERVAL);
  const options = new streams.ReadReq.Options()
    .setAll(placeInLog(after, (all) => all.setStart(new shared.Empty())))
    .setSubscription(new streams.ReadReq.Options.SubscriptionOptions())
    .setFilter(filter)
    .setUuidOption(uuidsAsText());
  return new streams.ReadReq().setOptions(options);
}
