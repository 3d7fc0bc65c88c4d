import type { Command } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce documents …`: the metadata of people's documents. */
export function register(program: Command): void {
  const group = program
    .command('documents')
    .description("manage the metadata of people's documents; their content is not stored");
  const create = ofOrganisation(group.command('create').description('record a document'))
    .requiredOption('--person <person>', 'the person it belongs to: id, work e-mail or staff id')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--document-type <type>', 'label or id of the document type')
    .requiredOption('--content-type <type>', 'media type, such as application/pdf')
    .requiredOption('--byte-size <bytes>', 'its size in bytes');
  action(withDates(create), async (call) => (await work()).createDocument(call));
  const update = ofOrganisation(
    group
      .command('update')
      .argument('<document>', 'id of the document')
      .description('change the metadata of a document'),
  )
    .option('--name <name>', 'its name')
    .option('--document-type <type>', 'label or id of the document type')
    .option('--content-type <type>', 'media type, such as application/pdf')
    .option('--byte-size <bytes>', 'its size in bytes');
  action(withDates(update), async (call) => (await work()).updateDocument(call));
  const remove = ofOrganisation(
    group
      .command('delete')
      .alias('remove')
      .argument('<document>', 'id of the document')
      .description('delete a document; the API no longer shows it'),
  );
  action(remove, async (call) => (await work()).removeDocument(call));
  const list = ofOrganisation(group.command('list').description('list documents')).option(
    '--person <person>',
    'only the documents of this person: id, work e-mail or staff id',
  );
  action(list, async (call) => (await work()).listDocuments(call));
}

function withDates(command: Command): Command {
  return command
    .option('--issued-on <date>', 'YYYY-MM-DD; empty for unknown')
    .option('--expires-on <date>', 'last day of validity, YYYY-MM-DD; empty for never');
}

function work(): Promise<typeof import('../work/documents.js')> {
  return import('../work/documents.js');
}
