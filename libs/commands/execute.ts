import { type Aggregate, type Decision, type DomainEvent, foldRecorded } from '#kernel/aggregate.js';
import type { EventStore } from '#event-store/event-store.js';
import { assertMatches, type CommandResult, handleCommand } from './handle-command.js';
import type { WritingServices } from './services.js';
import type { UnitContext } from './unit-of-work.js';

/** A command on one entity, and the version of the entity that the caller expects. */
export interface EntityCommand<State, Event> {
  /** See `StreamCommand`; the name of the command, where it has one. */
  readonly part?: string;
  /** Pure, except for look-ups. Called again with the newer state where another request appended first. */
  readonly decide: (state: State) => Promise<Decision<Event>> | Decision<Event>;
  /** The entity tags that the caller expects (`If-Match`); null where any version will do. */
  readonly ifMatch?: readonly string[] | null;
  /** The tag of the entity as loaded; {@link revisionTag} where not given. */
  readonly tagOf?: (state: Exclude<State, { readonly status: 'none' }>, revision: number) => Promise<string> | string;
}

/** Returns the entity tag of a representation that depends only on its own stream. */
export function revisionTag({ revision }: { readonly revision: number }): string {
  return `r${revision}`;
}

/**
 * Runs a command on one entity of an aggregate, see {@link handleCommand}. Throws `RejectedError`. Throws
 * `ExpectationFailedError` where the caller expects another version; its unit of work throws
 * `WrongExpectedRevisionError` where it lost the race for that version. Without an expected version, the plan
 * is made again after a lost race.
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

/** The state of an entity as it is in the store, whatever was projected of it. */
export async function readState<State, Event extends DomainEvent>(
  store: EventStore,
  aggregate: Aggregate<State, Event>,
  organisationId: string,
  entityId: string,
): Promise<State> {
  return foldRecorded(aggregate, await store.readStream(aggregate.streamOf(organisationId, entityId)));
}
