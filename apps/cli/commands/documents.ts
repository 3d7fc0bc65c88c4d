import type { Command } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce documents …`: what is known of the documents of people. */
export function register(program: Command): void {
  const group = program.command('documents').description('keep what is known of the documents of people; never their bytes');
  const create = ofOrganisation(group.command('create').description('record a document'))
    .requiredOption('--person <person>', 'whose it is: id, work e-mail or staff id')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--document-type <type>', 'label or id of the document type')
    .requiredOption('--content-type <type>', 'media type, such as application/pdf')
    .requiredOption('--byte-size <bytes>', 'how long it is');
  action(withDates(create), async (call) => (await work()).createDocument(call));
  const update = ofOrganisation(
    group.command('update').argument('<document>', 'id of the document').description('change what is known of a document'),
  )
    .option('--name <name>', 'what it is called')
    .option('--document-type <type>', 'label or id of the document type')
    .option('--content-type <type>', 'media type, such as application/pdf')
    .option('--byte-size <bytes>', 'how long it is');
  action(withDates(update), async (call) => (await work()).updateDocument(call));
  const remove = ofOrganisation(
    group.command('remove').argument('<document>', 'id of the document').description('remove a document; the API no longer shows it'),
  );
  action(remove, async (call) => (await work()).removeDocument(call));
  const list = ofOrganisation(group.command('list').description('list documents')).option(
    '--person <person>',
    'only those of this person: id, work e-mail or staff id',
  );
  action(list, async (call) => (await work()).listDocuments(call));
}

function withDates(command: Command): Command {
  return command
    .option('--issued-on <date>', 'YYYY-MM-DD; empty for unknown')
    .option('--expires-on <date>', 'the last day on which it holds, YYYY-MM-DD; empty for never');
}

function work(): Promise<typeof import('../work/documents.js')> {
  return import('../work/documents.js');
}
