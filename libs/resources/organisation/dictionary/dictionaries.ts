import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { holdForRetirement } from '#commands/locks/references.js';
import { commit } from '#commands/unit-of-work.js';
import type { IdKind } from '#kernel/identifier.js';
import type { Executor } from '#projections/projection.js';
import { normaliseName } from '../../naming/name-key.js';
import { findByNames, findOrCreate, type FoundOrCreated, type Named } from '../../naming/named-resource.js';
import { noteChangesOfNames } from '../../naming/reference-versions.js';
import { defineResource } from '../../resource.js';
import { dictionaryAggregate, dictionarySchema, dictionaryTable } from './dictionary.table.js';
import { decideEntry, type EntryCommand, type EntryState, initialEntry } from './entry.decider.js';

/** The commands and look-ups of one dictionary. */
export interface Dictionary {
  readonly table: ReturnType<typeof dictionaryTable>;
  /** The organisation's entries with these labels, see {@link findByNames}. */
  findByLabels(executor: Executor, organisationId: string, labels: readonly string[]): Promise<ReadonlyMap<string, readonly Named[]>>;
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

/** Declares a dictionary: a list of labels of an organisation. */
function defineDictionary(name: string, category: string, idKind: IdKind): Dictionary {
  const aggregate = dictionaryAggregate(category, idKind);
  const table = dictionaryTable(name, aggregate);
  return {
    table,
    findByLabels: (executor, organisationId, labels) => findByNames(executor, table, organisationId, labels),
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

export const WORK_PLACES = defineDictionary('work_places', 'work-place', 'workPlace');
export const WORK_TYPES = defineDictionary('work_types', 'work-type', 'workType');
export const DOCUMENT_TYPES = defineDictionary('document_types', 'document-type', 'documentType');

/** Dictionaries: operators manage them on the command line, and `/reference` shows them. */
export const workPlaceResource = defineResource({
  area: 'organisation',
  tables: [WORK_PLACES.table],
  schema: dictionarySchema('work_places') + noteChangesOfNames('work_places', 'label'),
});
export const workTypeResource = defineResource({
  area: 'organisation',
  tables: [WORK_TYPES.table],
  schema: dictionarySchema('work_types') + noteChangesOfNames('work_types', 'label'),
});
export const documentTypeResource = defineResource({
  area: 'organisation',
  tables: [DOCUMENT_TYPES.table],
  schema: dictionarySchema('document_types'),
});
