import type { Aggregate, Decision, DomainEvent } from '#kernel/aggregate.js';
import type { EventStore } from '#event-store/event-store.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Projector } from '#projections/projector.js';
import type { CommandContext } from './command-context.js';
import { assertMatches, type CommandResult, handleCommand, type StreamCommand } from './handle-command.js';
import type { Connections } from './locks/advisory-locks.js';

/** What commands need. */
export interface CommandServices {
  readonly store: EventStore;
  /** Reaches the read tables. */
  readonly executor: Connections;
  readonly projector: Projector;
  readonly mint: IdMint;
}

/** What writing what exists already needs: no new ids. */
export type WritingServices = Omit<CommandServices, 'mint'>;

/**
 * Loads, decides, appends, and projects the stream at once, so that every later read sees it. Also a command that
 * records nothing projects: it repairs what a crash between append and projection left. Throws what `handleCommand` does.
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

/** A command on one entity, and what the caller expects of the entity. */
export interface EntityCommand<State, Event> {
  /** See `StreamCommand`; the command's name, where it has one. */
  readonly part?: string;
  /** Pure, but for look-ups: called again with the newer state where somebody else appended first. */
  readonly decide: (state: State) => Promise<Decision<Event>> | Decision<Event>;
  /** The entity tags that the caller expects (`If-Match`); null where any will do. */
  readonly ifMatch?: readonly string[] | null;
  /** The tag of the entity as it was loaded; {@link revisionTag} where not given. */
  readonly tagOf?: (state: Exclude<State, { readonly status: 'none' }>, revision: number) => Promise<string> | string;
}

/** The entity tag of what shows nothing but its own stream. */
export function revisionTag({ revision }: { readonly revision: number }): string {
  return `r${revision}`;
}

/**
 * Runs a command on one entity of an aggregate, see {@link runCommand}. Throws `RejectedError`; `ExpectationFailedError`, and for a lost race
 * `WrongExpectedRevisionError`, where the caller expects another version. A caller that expects none loses no race: its command is decided again.
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
