import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { FoundOrCreated } from '../../naming/named-resource.js';
import { ResourceServices } from '../../services/resource-services.js';
import { DICTIONARIES } from './dictionary.commands.js';
import type { DictionaryName } from './dictionary.table.js';
import type { EntryCommand } from './entry.decider.js';

/** Creates the missing ones of the entries with these labels. The result has all of them, keyed by `nameKey`. */
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

  async execute({ context, dictionary, entryId, change }: ChangeEntry): Promise<void> {
    await DICTIONARIES[dictionary].command(this.services, context, entryId, change);
  }
}

/** The handlers of this file, for the resource. */
export const DICTIONARY_COMMAND_HANDLERS = [FindOrCreateEntriesHandler, ChangeEntryHandler];
