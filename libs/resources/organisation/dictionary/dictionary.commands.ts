import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { holdForRetirement } from '#commands/locks/references.js';
import { commit } from '#commands/unit-of-work.js';
import { normaliseName } from '../../naming/name-key.js';
import { findOrCreate, type FoundOrCreated } from '../../naming/named-resource.js';
import { type DictionaryName, type DictionaryTable, documentTypeTable, workPlaceTable, workTypeTable } from './dictionary.table.js';
import { decideEntry, type EntryCommand, type EntryState, initialEntry } from './entry.decider.js';

/** The commands of one dictionary: a list of labels of an organisation. */
export interface Dictionary {
  /** Returns the entries with these labels and creates the missing ones; keyed by `nameKey`. Throws `RejectedError`. */
  findOrCreate(services: CommandServices, context: CommandContext, labels: readonly string[]): Promise<ReadonlyMap<string, FoundOrCreated>>;
  /** Relabels, deactivates or reactivates an entry. Throws `RejectedError`. */
  command(
    services: CommandServices,
    context: CommandContext,
    entryId: string,
    command: Exclude<EntryCommand, { type: 'create' }>,
  ): Promise<EntryState>;
}

function commandsOf(table: DictionaryTable): Dictionary {
  const { aggregate } = table;
  return {
    findOrCreate: (services, context, labels) => {
      const create = (label: string) => () => decideEntry({ type: 'create', label: normaliseName(label) }, initialEntry);
      return findOrCreate(
        services,
        context,
        table,
        labels.map((label) => ({ name: label, create: create(label) })),
      );
    },
    command: (services, context, entryId, command) =>
      commit(services, context, async (within) => {
        const stream = aggregate.streamOf(context.organisationId, entryId);
        if (command.type === 'deactivate') await holdForRetirement(services, within, { stream });
        const decide = (state: EntryState) => decideEntry(command, state);
        const { state } = await execute(services, within, aggregate, entryId, { part: command.type, decide });
        return () => state;
      }),
  };
}

export const WORK_PLACES = commandsOf(workPlaceTable);
export const WORK_TYPES = commandsOf(workTypeTable);
export const DOCUMENT_TYPES = commandsOf(documentTypeTable);

/** Every dictionary, by its table. */
export const DICTIONARIES: Readonly<Record<DictionaryName, Dictionary>> = {
  work_places: WORK_PLACES,
  work_types: WORK_TYPES,
  document_types: DOCUMENT_TYPES,
};
