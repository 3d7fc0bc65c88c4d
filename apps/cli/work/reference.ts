import type { CommandServices } from '#commands/services.js';
import type { Dictionary } from '#resources/organisation/dictionary/dictionaries.js';
import { type EntryRow, listEntries } from '#resources/organisation/dictionary/dictionary.table.js';
import { DOCUMENT_TYPES, WORK_PLACES, WORK_TYPES } from '#resources/organisation/dictionary/dictionaries.js';
import type { EntryCommand } from '#resources/organisation/dictionary/entry.decider.js';
import { nameKey, normaliseName } from '#resources/naming/name-key.js';
import type { OrganisationRow } from '#resources/organisation/organisation/organisation.queries.js';
import type { Call, Outcome } from '../command.js';
import { commandServices, operatorContext } from '../command-context.js';
import { CommandError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { orSentence } from '../rejection-sentence.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from './organisations.js';

/** A dictionary that an organisation keeps for itself, as operators call it. */
export type DictionaryName = 'work-types' | 'work-places' | 'document-types';

const DICTIONARIES: Readonly<Record<DictionaryName, { readonly dictionary: Dictionary; readonly table: string }>> = {
  'work-types': { dictionary: WORK_TYPES, table: 'work_types' },
  'work-places': { dictionary: WORK_PLACES, table: 'work_places' },
  'document-types': { dictionary: DOCUMENT_TYPES, table: 'document_types' },
};

/** `workforce reference create`. */
export function createEntry(call: Call): Promise<Outcome> {
  const label = call.options['label'] as string;
  return record(call, 'Created', async (services, organisation, dictionary) => {
    const found = await dictionary.findOrCreate(services, operatorContext(organisation), [label]);
    const entry = found.get(nameKey(label))!;
    if (!entry.created)
      throw new CommandError(`The entry ${entry.name} exists already${entry.isArchived ? ' and is inactive' : ''}: ${entry.id}.`);
    return entry.id;
  });
}

/** `workforce reference update`. */
export function updateEntry(call: Call): Promise<Outcome> {
  const steps = stepsOf(call.options);
  if (steps.length === 0) throw new UsageError('Nothing to change: name at least one of --label, --deactivate and --reactivate.');
  const entryId = call.arguments[0]!;
  return record(call, 'Changed', async (services, organisation, dictionary) => {
    for (const step of steps) await dictionary.command(services, operatorContext(organisation), entryId, step);
    return entryId;
  });
}

/** `workforce reference list`. */
export function listAll({ options }: Call): Promise<Outcome> {
  const { table } = dictionaryOf(options);
  return withInstallation(async ({ pool }) => {
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const entries = await listEntries(pool, table, organisation.id);
    const rows = entries.map((entry) => [entry.id, entry.label, statusOf(entry)]);
    return { json: { entries: entries.map((entry) => ({ ...entry })) }, text: textTable(['ID', 'LABEL', 'STATUS'], rows) };
  });
}

type Work = (services: CommandServices, organisation: OrganisationRow, dictionary: Dictionary) => Promise<string>;

function record({ options }: Call, done: string, work: Work): Promise<Outcome> {
  const { dictionary, table } = dictionaryOf(options);
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const id = await orSentence(() => work(commandServices(installation), organisation, dictionary));
    const entry = (await listEntries(installation.pool, table, organisation.id)).find((one) => one.id === id)!;
    return { json: { ...entry }, text: `${done} ${entry.label} (${entry.id}, ${statusOf(entry)}).` };
  });
}

function stepsOf(options: Call['options']): readonly Exclude<EntryCommand, { type: 'create' }>[] {
  const label = options['label'] as string | undefined;
  return [
    ...(label === undefined ? [] : [{ type: 'relabel', label: normaliseName(label) } as const]),
    ...(options['deactivate'] === true ? [{ type: 'deactivate' } as const] : []),
    ...(options['reactivate'] === true ? [{ type: 'reactivate' } as const] : []),
  ];
}

function dictionaryOf(options: Call['options']): (typeof DICTIONARIES)[DictionaryName] {
  return DICTIONARIES[options['dictionary'] as DictionaryName];
}

function statusOf(entry: EntryRow): string {
  return entry.is_active ? 'active' : 'inactive';
}
