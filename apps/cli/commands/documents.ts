import { documentTypeTable } from '#organisation/dictionary/dictionary.js';
import { ChangeDocument, presentDocument, RecordDocument, RemoveDocument } from '#people/document/document.api.js';
import { DOCUMENT, type DocumentMetadata, type DocumentRow, listDocuments } from '#people/document/document.js';
import { idOf, type NamedPerson } from '../find-named.js';
import { ALL_ROWS, argument, lookedUp, person, required } from '../options.js';
import { optionsOf, resourceCommands } from '../resource-commands.js';

const DOCUMENT_TYPE = idOf({
  noun: ['document type', 'document types'],
  list: 'reference list --dictionary document-types',
  rows: (...of) => documentTypeTable.list(...of),
  namesOf: ({ label }) => [label],
});

const { list, create, update, step } = resourceCommands<DocumentRow>({
  argument: { document: argument('id of the document') },
  options: optionsOf(DOCUMENT, {
    document_type: lookedUp('<type>', 'label or id of the document type', DOCUMENT_TYPE),
  }),
  member: 'documents',
  columns: { ID: 'id', PERSON: 'person_name', NAME: 'name', TYPE: 'document_type_label', EXPIRES: 'expires_on' },
  words: ({ name, person_name: of, id }) => `${name} of ${of} (${id})`,
  present: presentDocument,
});

/** `workforce documents …`. */
export const commands = {
  create: create(
    'record a document',
    (context, metadata: DocumentMetadata, { person: of }) =>
      new RecordDocument(context, (of as NamedPerson).person_id, metadata),
    {
      done: 'Recorded',
      others: { person: required(person('the person it belongs to: id, work e-mail or staff id')) },
    },
  ),
  update: update(
    'change the metadata of a document',
    (context, id, changes: Partial<DocumentMetadata>) => new ChangeDocument(context, id, changes),
  ),
  delete: step(
    'delete a document; the API no longer shows it',
    'Removed',
    (context, id) => new RemoveDocument(context, id),
    'remove',
  ),
  list: list(
    'list documents',
    (executor, organisationId, { person: of }) => {
      const personId = (of as NamedPerson | undefined)?.person_id ?? null;
      return listDocuments(executor, { organisationId, personId, since: null, horizon: null, ...ALL_ROWS });
    },
    { person: person('only the documents of this person: id, work e-mail or staff id') },
  ),
};
