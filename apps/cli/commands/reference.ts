import { nameKey, normaliseName } from '#kernel/names.js';
import { ChangeEntry, FindOrCreateEntries } from '#organisation/dictionary/dictionary.api.js';
import {
  type DictionaryName,
  type EntryCommand,
  type EntryRow,
  listEntries,
} from '#organisation/dictionary/dictionary.js';
import { command } from '../command.js';
import { CommandError } from '../command-error.js';
import type { Context, Outcome } from '../declaration.js';
import { argument, choice, flag, ORGANISATION, required, text } from '../options.js';
import { listOf } from '../text-table.js';

/** The dictionaries that each organisation has of its own; the others are the same for all organisations. */
const DICTIONARIES = ['work-types', 'work-places', 'document-types'];
const OF_DICTIONARY = {
  dictionary: required(choice('<name>', 'name of the dictionary', DICTIONARIES)),
  organisation: ORGANISATION,
};
type OfDictionary = { readonly dictionary: string; readonly organisation: { readonly id: string } };

/** `workforce reference …`: the dictionaries that records of people refer to. */
export const commands = {
  create: command({
    description: 'add an entry',
    options: { ...OF_DICTIONARY, label: required(text('<label>', 'its name')) },
    run: async (given, { pool, send }) => {
      const { label } = given;
      const found = await send((context) => new FindOrCreateEntries(context, nameOf(given), [label]));
      const entry = found.get(nameKey(label))!;
      if (!entry.created)
        throw new CommandError(
          `The entry ${entry.name} exists already${entry.isArchived ? ' and is inactive' : ''}: ${entry.id}.`,
        );
      return outcomeOf('Created', pool, given, entry.id);
    },
  }),
  update: command({
    description: 'change an entry',
    arguments: { entry: argument('id of the entry, which never changes') },
    options: {
      ...OF_DICTIONARY,
      label: text('<label>', 'its name'),
      deactivate: flag('new records can no longer use it', 'reactivate'),
      reactivate: flag('new records can use it again'),
    },
    changes: 'Nothing to change: name at least one of --label, --deactivate and --reactivate.',
    run: async (given, { pool, send }) => {
      const { entry, label, deactivate, reactivate } = given;
      const steps: readonly Exclude<EntryCommand, { type: 'create' }>[] = [
        ...(label === undefined ? [] : [{ type: 'relabel', label: normaliseName(label) } as const]),
        ...(deactivate ? [{ type: 'deactivate' } as const] : []),
        ...(reactivate ? [{ type: 'reactivate' } as const] : []),
      ];
      for (const step of steps) await send((context) => new ChangeEntry(context, nameOf(given), entry, step));
      return outcomeOf('Changed', pool, given, entry);
    },
  }),
  list: command({
    description: 'list all entries, including inactive ones',
    options: OF_DICTIONARY,
    run: async (given, { pool }) => {
      const entries = await listEntries(pool, nameOf(given), given.organisation.id);
      return listOf('entries', entries, { ID: 'id', LABEL: 'label', STATUS: statusOf });
    },
  }),
};

async function outcomeOf(done: string, pool: Context['pool'], given: OfDictionary, id: string): Promise<Outcome> {
  const entries = await listEntries(pool, nameOf(given), given.organisation.id);
  const entry = entries.find((one) => one.id === id)!;
  return { json: entry, text: `${done} ${entry.label} (${entry.id}, ${statusOf(entry)}).` };
}

/** The name of the dictionary, which operators write with a hyphen. */
function nameOf({ dictionary }: OfDictionary): DictionaryName {
  return dictionary.replace('-', '_') as DictionaryName;
}

function statusOf(entry: EntryRow): string {
  return entry.is_active ? 'active' : 'inactive';
}
