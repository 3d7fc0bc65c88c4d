import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { lockForRetirement } from '#commands/locks/references.js';
import { findOrCreate, type FoundOrCreated } from '#commands/named-resource.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { normaliseName } from '#kernel/names.js';
import { noteChangesOfNames } from '#projections/reference-versions.js';
import {
  decideEntry,
  type DictionaryName,
  dictionarySchema,
  type DictionaryTable,
  documentTypeTable,
  type EntryCommand,
  type EntryState,
  initialEntry,
  workPlaceTable,
  workTypeTable,
} from './dictionary.js';

/** The commands of one dictionary: a list of labels of an organisation. */
export interface Dictionary {
  /**
   * Returns the entries with these labels and creates the missing ones; keyed by `nameKey`. Throws
   * `RejectedError`.
   */
  findOrCreate(
    services: CommandServices,
    context: CommandContext,
    labels: readonly string[],
  ): Promise<ReadonlyMap<string, FoundOrCreated>>;
  /**
   * Relabels, deactivates or reactivates an entry; `ifMatch`: the entity tags that the caller expects. Throws
   * `RejectedError`, and 412 if the entry has another tag.
   */
  command(
    services: CommandServices,
    context: CommandContext,
    entryId: string,
    command: Exclude<EntryCommand, { type: 'create' }>,
    ifMatch?: readonly string[] | null,
  ): Promise<EntryState>;
}

function commandsOf(table: DictionaryTable): Dictionary {
  const { aggregate } = table;
  return {
    findOrCreate: (services, context, labels) => {
      const create = (label: string) => () =>
        decideEntry({ type: 'create', label: normaliseName(label) }, initialEntry);
      return findOrCreate(
        services,
        context,
        table,
        labels.map((label) => ({ name: label, create: create(label) })),
      );
    },
    command: (services, context, entryId, command, ifMatch = null) =>
      commit(services, context, async (within) => {
        const stream = aggregate.streamOf(context.organisationId, entryId);
        if (command.type === 'deactivate') await lockForRetirement(services, within, { stream });
        const decide = (state: EntryState) => decideEntry(command, state);
        const { state } = await execute(services, within, aggregate, entryId, { part: command.type, ifMatch, decide });
        return () => state;
      }),
  };
}

export const WORK_PLACES = commandsOf(workPlaceTable);
export const WORK_TYPES = commandsOf(workTypeTable);
export const DOCUMENT_TYPES = commandsOf(documentTypeTable);

/** Every dictionary, by its table. */
const DICTIONARIES: Readonly<Record<DictionaryName, Dictionary>> = {
  work_places: WORK_PLACES,
  work_types: WORK_TYPES,
  document_types: DOCUMENT_TYPES,
};

/**
 * Creates the entries of these labels that are missing. The result has all of them, keyed by `nameKey`.
 */
export class FindOrCreateEntries extends Command<ReadonlyMap<string, FoundOrCreated>> {
  constructor(
    readonly context: CommandContext,
    readonly dictionary: DictionaryName,
    readonly labels: readonly string[],
  ) {
    super();
  }
}

export class ChangeEntry extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly dictionary: DictionaryName,
    readonly entryId: string,
    readonly change: Exclude<EntryCommand, { type: 'create' }>,
    readonly ifMatch: readonly string[] | null = null,
  ) {
    super();
  }
}

@CommandHandler(FindOrCreateEntries)
class FindOrCreateEntriesHandler implements ICommandHandler<FindOrCreateEntries> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, dictionary, labels }: FindOrCreateEntries): Promise<ReadonlyMap<string, FoundOrCreated>> {
    return DICTIONARIES[dictionary].findOrCreate(this.services, context, labels);
  }
}

@CommandHandler(ChangeEntry)
class ChangeEntryHandler implements ICommandHandler<ChangeEntry> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, dictionary, entryId, change, ifMatch }: ChangeEntry): Promise<void> {
    await DICTIONARIES[dictionary].command(this.services, context, entryId, change, ifMatch);
  }
}

/** Dictionaries: managed in the console and on the command line, read through `/reference`. */
export const workPlaceResource = defineResource({
  area: 'organisation',
  tables: [workPlaceTable],
  schema: dictionarySchema('work_places') + noteChangesOfNames('work_places', 'label'),
  handlers: [FindOrCreateEntriesHandler, ChangeEntryHandler],
});
export const workTypeResource = defineResource({
  area: 'organisation',
  tables: [workTypeTable],
  schema: dictionarySchema('work_types') + noteChangesOfNames('work_types', 'label'),
});
export const documentTypeResource = defineResource({
  area: 'organisation',
  tables: [documentTypeTable],
  schema: dictionarySchema('document_types'),
});
