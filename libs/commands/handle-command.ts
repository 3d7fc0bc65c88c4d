import { nameBasedUuid } from '#identifiers/uuid.js';
import { type Decision, type DomainEvent, fold, type Fold, foldRecorded } from '#kernel/aggregate.js';
import { RejectedError } from '#kernel/rejection.js';
import { currentTraceparent, tracer } from '#tracing/tracing.js';
import type { Appended, EventStore, RecordedEvent } from '#event-store/event-store.js';
import { chain, type UnchainedEvent } from '#event-store/new-events.js';
import type { ProjectionContext } from '#projections/projection.js';
import { FIRST_VERSION, schemaVersionOf, upcastersOfTypes } from '#event-store/upcasters.js';
import type { CommandContext } from './command-context.js';
import { IdempotencyMismatchError } from './idempotency-errors.js';
import type { UnitContext } from './unit-of-work.js';

/**
 * The encryption of events with restricted data. `evolve` and `decide` receive them decrypted; each is
 * decrypted once.
 */
export interface Sealing<Event extends DomainEvent> {
  readonly seal: (event: Event) => DomainEvent;
  readonly open: (event: RecordedEvent) => Event;
}

/**
 * The definition of a command handler: the stream, the pure functions, and the check of the expected version.
 */
export interface StreamCommand<State, Event extends DomainEvent> extends Fold<State, Event, RecordedEvent> {
  readonly stream: string;
  readonly sealed?: Sealing<Event>;
  /**
   * Returns the same events for the same state and revision. It may look up data, and claim rows in the unit
   * of work. Not called for a repeat, whose events already exist: projecting them writes the claimed rows.
   */
  readonly decide: (state: State, revision: number | null) => Promise<Decision<Event>> | Decision<Event>;
  /**
   * The reaction to a revision conflict. `refuse`: the caller named a revision (If-Match), so the unit of
   * work throws `WrongExpectedRevisionError`. `decide_again`: the order does not matter, so the command is
   * retried.
   */
  readonly onConflict: 'refuse' | 'decide_again';
  /** The name of this part of a request that appends to several streams; 'event' by default. */
  readonly part?: string;
  /** The data for projecting the stream, if the command has it; otherwise it is fetched. */
  readonly projection?: ProjectionContext;
}

/** The result of a command, recorded by its unit of work. */
export interface CommandResult<State> {
  /** The state right after the command's own events, without later events of other requests. */
  readonly state: State;
  /**
   * All events up to and including the command's own. Throws before they are recorded: only the response of a
   * unit may read them.
   */
  readonly events: readonly RecordedEvent[];
  /** Revision of the last of `events`; null for a stream that does not exist. */
  readonly revision: number | null;
  /** `unchanged`: the command recorded nothing. `repeated`: an earlier attempt had recorded it. */
  readonly outcome: 'appended' | 'unchanged' | 'repeated';
}

/**
 * Loads, decides, and stages the events in the command's unit of work.
 *
 * Ids of events derive from the command's seed. If the loaded stream contains them, the request is a repeat
 * whose receipt is lost. The command is then not decided again; its answer comes from the state right after
 * those events. If another request recorded events in the stream under the same idempotency key, the command
 * is refused.
 *
 * An existing stream is always projected with the unit, which repairs the effects of a crash.
 *
 * Throws {@link RejectedError}, {@link IdempotencyMismatchError} and the store's errors.
 */
export async function handleCommand<State, Event extends DomainEvent>(
  store: EventStore,
  context: UnitContext,
  command: StreamCommand<State, Event>,
): Promise<CommandResult<State>> {
  const loaded = await store.readStream(command.stream);
  const result = findRepeat(context, command, loaded) ?? (await decideOnce(context, command, loaded));
  if (result.outcome !== 'appended') context.unit.project(loaded, command.projection);
  return result;
}

async function decideOnce<State, Event extends DomainEvent>(
  context: UnitContext,
  command: StreamCommand<State, Event>,
  loaded: readonly RecordedEvent[],
): Promise<CommandResult<State>> {
  const state = foldRecorded(command, loaded);
  const revision = loaded.at(-1)?.revision ?? null;
  const decision = await command.decide(state, revision);
  if ('rejection' in decision) throw new RejectedError(decision.rejection);
  if (decision.events.length === 0) return { state, events: loaded, revision, outcome: 'unchanged' };
  return stage(context, command, { loaded, state, events: decision.events });
}

/** Returns the id of a command's n-th event, which is the same for every retry of the request. */
export function eventIdOf(context: CommandContext, stream: string, part: string, index: number): string {
  return nameBasedUuid(...context.seed, stream, part, String(index));
}

/**
 * Converts domain events for a stream: adds ids that derive from the command, metadata, and the hash chain.
 */
export function toNewEvents(
  context: CommandContext,
  stream: string,
  events: readonly DomainEvent[],
  options: { readonly previousHash: string | null; readonly part?: string },
): ReturnType<typeof chain> {
  const traceparent = tracer === null ? null : currentTraceparent();
  const unchained = events.map((event, index): UnchainedEvent => ({
    id: eventIdOf(context, stream, options.part ?? 'event', index),
    type: event.type,
    data: event.data,
    metadata: {
      schema_version: upcastersOfTypes.has(event.type) ? schemaVersionOf(event.type) : FIRST_VERSION,
      actor: context.actor,
      request_id: context.requestId,
      idempotency_key: context.idempotencyKey,
      fingerprint: context.fingerprint,
      causation_id: null,
      ...(context.approval === undefined ? {} : { approval: context.approval }),
      ...(traceparent === null ? {} : { traceparent }),
    },
  }));
  return chain(stream, options.previousHash, unchained);
}

/** Returns the events of an append as a read of the stream would return them. */
export function asRecorded(
  stream: string,
  events: ReturnType<typeof chain>,
  appended: Appended,
): readonly RecordedEvent[] {
  const first = appended.revision - events.length + 1;
  return events.map((event, index) => ({
    ...event,
    stream,
    revision: first + index,
    position: appended.position,
    recordedAt: appended.recordedAt,
  }));
}

function stage<State, Event extends DomainEvent>(
  context: UnitContext,
  command: StreamCommand<State, Event>,
  from: { readonly loaded: readonly RecordedEvent[]; readonly state: State; readonly events: readonly Event[] },
): CommandResult<State> {
  const { stream, sealed, onConflict, projection } = command;
  const last = from.loaded.at(-1);
  const events = toNewEvents(context, stream, sealed === undefined ? from.events : from.events.map(sealed.seal), {
    previousHash: last?.metadata.hash ?? null,
    part: command.part ?? 'event',
  });
  const result = new StagedResult(fold(command, from.events, from.state), (last?.revision ?? -1) + events.length);
  context.unit.append({
    append: { stream, expected: last?.revision ?? 'none', events },
    onConflict,
    recorded: (appended) => (result.recorded = [...from.loaded, ...asRecorded(stream, events, appended)]),
    ...(projection === undefined ? {} : { projection }),
  });
  return result;
}

class StagedResult<State> implements CommandResult<State> {
  readonly outcome = 'appended';
  recorded: readonly RecordedEvent[] | null = null;

  constructor(
    readonly state: State,
    readonly revision: number,
  ) {}

  get events(): readonly RecordedEvent[] {
    if (this.recorded === null)
      throw new Error('the events of a command are known once its unit of work has recorded them');
    return this.recorded;
  }
}

function findRepeat<State, Event extends DomainEvent>(
  context: UnitContext,
  command: StreamCommand<State, Event>,
  loaded: readonly RecordedEvent[],
): CommandResult<State> | null {
  const own = ownEvents(context, command, loaded, context.unit.isPlannedAgain);
  if (own === null) return null;
  context.unit.noteFound();
  const events = loaded.slice(0, own.end);
  return { state: foldRecorded(command, events), events, revision: events.at(-1)!.revision, outcome: 'repeated' };
}

/**
 * Returns whether an earlier attempt of the same request recorded this part in the stream, for commands whose
 * checks may have another result now. Throws {@link IdempotencyMismatchError} if another request used the key
 * in this stream.
 */
export async function isRecorded(
  store: EventStore,
  context: CommandContext,
  command: Pick<StreamCommand<never, never>, 'stream' | 'part'>,
): Promise<boolean> {
  return ownEvents(context, command, await store.readStream(command.stream)) !== null;
}

/**
 * Returns the end of the events that an earlier attempt of the same request recorded; null if there are none.
 */
function ownEvents(
  context: CommandContext,
  { stream, part = 'event' }: Pick<StreamCommand<never, never>, 'stream' | 'part'>,
  loaded: readonly RecordedEvent[],
  isPlannedAgain = false,
): { readonly end: number } | null {
  const { idempotencyKey, actor, fingerprint } = context;
  if (idempotencyKey === null && !isPlannedAgain) return null;
  const isOfKey = ({ metadata }: RecordedEvent): boolean =>
    idempotencyKey !== null && metadata.idempotency_key === idempotencyKey && metadata.actor.id === actor.id;
  if (loaded.some((event) => isOfKey(event) && event.metadata.fingerprint !== fingerprint))
    throw new IdempotencyMismatchError();
  const firstId = eventIdOf(context, stream, part, 0);
  const start = loaded.findIndex((event) => event.id === firstId);
  if (start === -1) return null;
  let end = start + 1;
  while (loaded[end]?.id === eventIdOf(context, stream, part, end - start)) end += 1;
  return { end };
}

/**
 * The aggregate is not at a version that the caller expects (`If-Match`, RFC 9110, section 13.1.1). Nothing
 * is recorded.
 */
export class ExpectationFailedError extends Error {
  constructor() {
    super('the resource has changed since the caller read it');
    this.name = 'ExpectationFailedError';
  }
}

/**
 * The command changes only a version that its caller has read, but the caller named none. Nothing is
 * recorded.
 */
export class ExpectationMissingError extends Error {
  constructor() {
    super('the command needs the entity tags that its caller expects');
    this.name = 'ExpectationMissingError';
  }
}

/**
 * The first character of the part of a tag that covers data outside of the resource itself. Preconditions of
 * writes ignore that part, and no other part contains the character.
 */
export const FURTHER_PART = '~';

/** Returns whether the caller expects one of the resource's tags; true if the caller expects none. */
export function matches(expected: readonly string[] | null, ...currentTags: readonly string[]): boolean {
  return expected === null || expected.some((tag) => currentTags.includes(tag.split(FURTHER_PART, 1)[0]!));
}

/**
 * Throws {@link ExpectationMissingError} without an expectation, and the errors of {@link assertMatches};
 * called after the resource was found.
 */
export function requireMatch(expected: readonly string[] | null, ...currentTags: readonly string[]): void {
  if (expected === null) throw new ExpectationMissingError();
  assertMatches(expected, ...currentTags);
}

/** Throws {@link ExpectationFailedError} unless {@link matches}. */
export function assertMatches(expected: readonly string[] | null, ...currentTags: readonly string[]): void {
  if (!matches(expected, ...currentTags)) throw new ExpectationFailedError();
}
