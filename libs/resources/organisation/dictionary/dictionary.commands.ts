import type { CommandContext } from '#commands/command-context.js';
import type { IdKind } from '#kernel/identifier.js';
import type { Executor } from '#projections/projection.js';
import { whileRetiring } from '#commands/locks/references.js';
import { type CommandServices, runCommand } from '#commands/execute.js';
import { tidyName } from '../../naming/name-key.js';
import { findByNames, findOrCreate, type Named, type NamedResource } from '../../naming/named-resource.js';
import { decideEntry, type EntryCommand, type EntryEvent, type EntryState, evolveEntry, initialEntry } from './entry.decider.js';

/** The commands and look-ups of one dictionary. */
export interface Dictionary {
  /** The organisation's entries of these labels, see {@link findByNames}. */
  findByLabels(executor: Executor, organisationId: string, labels: readonly string[]): Promise<ReadonlyMap<string, readonly Named[]>>;
  /** Entries of these labels, made where there are none; by `nameKey`. Throws `RejectedError`. */
  findOrCreate(
    services: CommandServices,
    context: CommandContext,
    labels: readonly string[],
  ): Promise<ReadonlyMap<string, Named & { readonly created: boolean }>>;
  /** Relabels, deactivates or reactivates an entry. Throws `RejectedError`. */
  command(
    services: CommandServices,
    context: CommandContext,
    entryId: string,
    command: Exclude<EntryCommand, { type: 'create' }>,
  ): Promise<EntryState>;
}

/** The dictionary with this table and this category of streams. */
export function dictionaryOf(table: string, category: string, idKind: IdKind): Dictionary {
  const resource: NamedResource<EntryState, EntryEvent> = {
    idKind,
    category,
    table,
    nameColumn: 'label',
    isArchived: 'not is_active',
    initial: initialEntry,
    evolve: evolveEntry,
    nameOf: (state) => state.label,
  };
  return {
    findByLabels: (executor, organisationId, labels) => findByNames(executor, resource, organisationId, labels),
    findOrCreate: (services, context, labels) => {
      const wanted = labels.map((label) => ({
        name: label,
        create: () => decideEntry({ type: 'create', label: tidyName(label) }, initialEntry),
      }));
      return findOrCreate(services, context, resource, wanted);
    },
    command: (services, context, entryId, command) => {
      const stream = `${category}-${context.organisationId}.${entryId}`;
      const run = async (within: CommandContext): Promise<EntryState> => {
        const { state } = await runCommand(services, within, {
          stream,
          initial: initialEntry,
          evolve: evolveEntry,
          decide: (current) => decideEntry(command, current),
          onConflict: 'decide_again',
          part: command.type,
        });
        return state;
      };
      return command.type === 'deactivate' ? whileRetiring(services, context, { stream }, run) : run(context);
    },
  };
}
