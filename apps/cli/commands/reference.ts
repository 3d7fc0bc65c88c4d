import { type Command, Option } from 'commander';
import { action } from '../command.js';
import type { DictionaryName } from '../work/reference.js';

/** The dictionaries that an organisation keeps for itself; the others are the same for all organisations. */
const DICTIONARIES: readonly DictionaryName[] = ['work-types', 'work-places', 'document-types'];

/** `workforce reference …`: the dictionaries that people refer to. */
export function register(program: Command): void {
  const group = program.command('reference').description('keep the reference dictionaries of an organisation');
  const create = ofDictionary(group.command('create').description('add an entry')).requiredOption('--label <label>', 'what it is called');
  action(create, async (call) => (await work()).createEntry(call));
  const update = ofDictionary(
    group.command('update').argument('<entry>', 'id of the entry, which never changes').description('change an entry'),
  )
    .option('--label <label>', 'what it is called')
    .addOption(new Option('--deactivate', 'nothing new may be given it any more').conflicts('reactivate'))
    .option('--reactivate', 'it may be given again');
  action(update, async (call) => (await work()).updateEntry(call));
  action(ofDictionary(group.command('list').description('list all entries, the inactive ones included')), async (call) =>
    (await work()).listAll(call),
  );
}

function ofDictionary(command: Command): Command {
  return command
    .addOption(new Option('--dictionary <name>', 'which one').choices(DICTIONARIES).makeOptionMandatory())
    .requiredOption('--organisation <organisation>', 'id or subdomain');
}

function work(): Promise<typeof import('../work/reference.js')> {
  return import('../work/reference.js');
}
