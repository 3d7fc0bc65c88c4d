import { type Aggregate, type Decision, type DomainEvent, foldRecorded } from '#kernel/aggregate.js';
import type { EventStore } from '#event-store/event-store.js';
import { assertMatches, type CommandResult, handleCommand } from './handle-command.js';
import type { WritingServices } from './services.js';
import type { UnitContext } from './unit-of-work.js';

/** A command on one entity, and the version that the caller expects. */
export interface EntityCommand<State, Event> {
  /** See `StreamCommand`; the name of the command, where it has one. */
  readonly part?: string;
  /** Pure, except for look-ups. Called again with the newer state after a revision conflict. */
  readonly decide: (state: State) => Promise<Decision<Event>> | Decision<Event>;
  /** The entity tags that the caller expects (`If-Match`); null for any version. */
  readonly ifMatch?: readonly string[] | null;
  /** The tag of the loaded entity; {@link revisionTag} by default. */
  readonly tagOf?: (state: Exclude<State, { readonly status: 'none' }>, revision: number) => Promise<string> | string;
}

/** Returns the entity tag of a representation that depends only on its own stream. */
export function revisionTag({ revision }: { readonly revision: number }): string {
  return `r${revision}`;
}

/**
 * Runs a command on one entity of an aggregate, see {@link handleCommand}. Throws `RejectedError`, and
 * `ExpectationFailedError` if the caller expects another version; its unit of work throws
 * `WrongExpectedRevisionError` if another write changed that version first. Without an expected version, the
 * command is retried on a revision conflict.
 */
export function execute<State, Event extends DomainEvent>(
  services: WritingServices,
  context: UnitContext,
  aggregate: Aggregate<State, Event>,
  entityId: string,
  { part, decide, ifMatch = null, tagOf }: EntityCommand<State, Event>,
): Promise<CommandResult<State>> {
  return handleCommand<State, Event>(services.store, context, {
    stream: aggregate.streamOf(context.organisationId, entityId),
    initial: aggregate.initial,
    evolve: aggregate.evolve,
    decide: async (state, revision) => {
      if (revision !== null && ifMatch !== null) {
        assertMatches(
          ifMatch,
          tagOf === undefined
            ? revisionTag({ revision })
            : await tagOf(state as Exclude<State, { readonly status: 'none' }>, revision),
        );
      }
      return decide(state);
    },
    onConflict: ifMatch === null ? 'decide_again' : 'refuse',
    ...(part === undefined ? {} : { part }),
  });
}

/** The state of an entity from the store, independent of projections. */
export async function readState<State, Event extends DomainEvent>(
  store: EventStore,
  aggregate: Aggregate<State, Event>,
  organisationId: string,
  entityId: string,
): Promise<State> {
  return foldRecorded(aggregate, await store.readStream(aggregate.streamOf(organisationId, entityId)));
}
