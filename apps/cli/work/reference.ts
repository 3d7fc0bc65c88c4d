import type { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ChangeEntry, FindOrCreateEntries } from '#organisation/dictionary/dictionary.api.js';
import {
  type DictionaryName,
  type EntryCommand,
  type EntryRow,
  listEntries,
} from '#organisation/dictionary/dictionary.js';
import { nameKey, normaliseName } from '#kernel/names.js';
import type { Call, Outcome } from '../declaration.js';
import { CommandError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';

/** `workforce reference create`. */
export function createEntry(call: Call): Promise<Outcome> {
  const label = call.options['label'] as string;
  return record(call, 'Created', async (send) => {
    const found = await send((context, dictionary) => new FindOrCreateEntries(context, dictionary, [label]));
    const entry = found.get(nameKey(label))!;
    if (!entry.created)
      throw new CommandError(
        `The entry ${entry.name} exists already${entry.isArchived ? ' and is inactive' : ''}: ${entry.id}.`,
      );
    return entry.id;
  });
}

/** `workforce reference update`. */
export function updateEntry(call: Call): Promise<Outcome> {
  const steps = stepsOf(call.options);
  if (steps.length === 0)
    throw new UsageError('Nothing to change: name at least one of --label, --deactivate and --reactivate.');
  const entryId = call.arguments[0]!;
  return record(call, 'Changed', async (send) => {
    for (const step of steps) await send((context, dictionary) => new ChangeEntry(context, dictionary, entryId, step));
    return entryId;
  });
}

/** `workforce reference list`. */
export function listAll({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const entries = await listEntries(pool, dictionaryOf(options), organisation.id);
    const rows = entries.map((entry) => [entry.id, entry.label, statusOf(entry)]);
    return {
      json: { entries: entries.map((entry) => ({ ...entry })) },
      text: textTable(['ID', 'LABEL', 'STATUS'], rows),
    };
  });
}

type Send = <Result>(
  commandOf: (context: CommandContext, dictionary: DictionaryName) => Command<Result>,
) => Promise<Result>;

function record({ options }: Call, done: string, work: (send: Send) => Promise<string>): Promise<Outcome> {
  const dictionary = dictionaryOf(options);
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const id = await work((commandOf) =>
      sendAsOperator(installation, organisation, (context) => commandOf(context, dictionary)),
    );
    const entry = (await listEntries(installation.pool, dictionary, organisation.id)).find((one) => one.id === id)!;
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

/** Operators write hyphens. */
function dictionaryOf(options: Call['options']): DictionaryName {
  return (options['dictionary'] as string).replace('-', '_') as DictionaryName;
}

function statusOf(entry: EntryRow): string {
  return entry.is_active ? 'active' : 'inactive';
}
