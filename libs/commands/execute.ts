import { type Aggregate, type Decision, type DomainEvent, foldRecorded } from '#kernel/aggregate.js';
import type { EventStore } from '#event-store/event-store.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Projector } from '#projections/projector.js';
import type { CommandContext } from './command-context.js';
import { assertMatches, type CommandResult, handleCommand, type StreamCommand } from './handle-command.js';
import type { Connections } from './locks/advisory-locks.js';

/** The services that commands use. */
export interface CommandServices {
  readonly store: EventStore;
  /** Access to the read tables. */
  readonly executor: Connections;
  readonly projector: Projector;
  readonly mint: IdMint;
}

/** The services of commands that create nothing and so need no new ids. */
export type WritingServices = Omit<CommandServices, 'mint'>;

/**
 * Loads, decides, appends, and projects the stream immediately, so that every later read includes the change. A command that
 * records nothing also projects: it repairs what a crash between append and projection left. Throws what `handleCommand` throws.
 */
export async function runCommand<State, Event extends DomainEvent>(
  services: WritingServices,
  context: CommandContext,
  command: StreamCommand<State, Event>,
): Promise<CommandResult<State>> {
  const result = await handleCommand(services.store, context, command);
  if (result.events.length > 0) await services.projector.project(services.executor, [result.events]);
  return result;
}

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
 * Runs a command on one entity of an aggregate, see {@link runCommand}. Throws `RejectedError`. Throws `ExpectationFailedError`
 * where the caller expects another version, and `WrongExpectedRevisionError` where it lost the race for that version. Without an
 * expected version, the command is decided again after a lost race.
 */
export function execute<State, Event extends DomainEvent>(
  services: WritingServices,
  context: CommandContext,
  aggregate: Aggregate<State, Event>,
  entityId: string,
  { part, decide, ifMatch = null, tagOf }: EntityCommand<State, Event>,
): Promise<CommandResult<State>> {
  return runCommand<State, Event>(services, context, {
    stream: aggregate.streamOf(context.organisationId, entityId),
    initial: aggregate.initial,
    evolve: aggregate.evolve,
    decide: async (state, revision) => {
      if (revision !== null && ifMatch !== null) {
        assertMatches(
          ifMatch,
          tagOf === undefined ? revisionTag({ revision }) : await tagOf(state as Exclude<State, { readonly status: 'none' }>, revision),
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
