import { type Command, Option } from 'commander';
import { action } from '../command.js';

/** The dictionaries that an organisation keeps for itself; the others are the same for all organisations. */
const DICTIONARIES = ['work-types', 'work-places', 'document-types'];

/** `workforce reference …`: the dictionaries that records of people refer to. */
export function register(program: Command): void {
  const group = program.command('reference').description('manage the reference dictionaries of an organisation');
  const create = ofDictionary(group.command('create').description('add an entry')).requiredOption(
    '--label <label>',
    'its name',
  );
  action(create, async (call) => (await work()).createEntry(call));
  const update = ofDictionary(
    group.command('update').argument('<entry>', 'id of the entry, which never changes').description('change an entry'),
  )
    .option('--label <label>', 'its name')
    .addOption(new Option('--deactivate', 'new records can no longer use it').conflicts('reactivate'))
    .option('--reactivate', 'new records can use it again');
  action(update, async (call) => (await work()).updateEntry(call));
  action(ofDictionary(group.command('list').description('list all entries, including inactive ones')), async (call) =>
    (await work()).listAll(call),
  );
}

function ofDictionary(command: Command): Command {
  return command
    .addOption(new Option('--dictionary <name>', 'name of the dictionary').choices(DICTIONARIES).makeOptionMandatory())
    .requiredOption('--organisation <organisation>', 'id or subdomain');
}

function work(): Promise<typeof import('../work/reference.js')> {
  return import('../work/reference.js');
}
