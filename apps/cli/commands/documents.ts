import { findByNames } from '#commands/named-resource.js';
import { hasFormOfIdentifier } from '#http/fields/rules.js';
import { nameKey } from '#kernel/names.js';
import { documentTypeTable } from '#organisation/dictionary/dictionary.js';
import { ChangeDocument, presentDocument, RecordDocument, RemoveDocument } from '#people/document/document.api.js';
import { type DocumentMetadata, type DocumentRow, listDocuments } from '#people/document/document.js';
import { command } from '../command.js';
import { NotFoundError } from '../command-error.js';
import type { Outcome, Parameter, Scope } from '../declaration.js';
import {
  argument,
  clearable,
  fieldsOf,
  NOTHING_TO_CHANGE,
  ORGANISATION,
  person,
  required,
  setting,
  text,
  wholeNumber,
} from '../options.js';
import { listOf } from '../text-table.js';

const ROWS_AT_ONCE = 1_000;

const DOCUMENT = argument('id of the document');
const FIELDS = {
  name: text('<name>', 'its name'),
  document_type: setting('document_type_id', documentType('label or id of the document type')),
  content_type: text('<type>', 'media type, such as application/pdf'),
  byte_size: wholeNumber('<bytes>', 'its size in bytes'),
};
const DATES = {
  issued_on: clearable('<date>', 'YYYY-MM-DD; empty for unknown', (day) => day.trim()),
  expires_on: clearable('<date>', 'last day of validity, YYYY-MM-DD; empty for never', (day) => day.trim()),
};

/** `workforce documents …`. */
export const commands = {
  create: command({
    description: 'record a document',
    options: {
      organisation: ORGANISATION,
      person: required(person('the person it belongs to: id, work e-mail or staff id')),
      name: required(FIELDS.name),
      document_type: required(FIELDS.document_type),
      content_type: required(FIELDS.content_type),
      byte_size: required(FIELDS.byte_size),
      ...DATES,
    },
    run: async (given, { send }) => {
      const metadata = { issued_on: null, expires_on: null, ...metadataOf(given) } as DocumentMetadata;
      return outcomeOf(
        'Recorded',
        await send((context) => new RecordDocument(context, given.person.person_id, metadata)),
      );
    },
  }),
  update: command({
    description: 'change the metadata of a document',
    arguments: { document: DOCUMENT },
    options: { organisation: ORGANISATION, ...FIELDS, ...DATES },
    changes: NOTHING_TO_CHANGE,
    run: async (given, { send }) =>
      outcomeOf('Changed', await send((context) => new ChangeDocument(context, given.document, metadataOf(given)))),
  }),
  delete: command({
    alias: 'remove',
    description: 'delete a document; the API no longer shows it',
    arguments: { document: DOCUMENT },
    options: { organisation: ORGANISATION },
    run: async ({ document }, { send }) =>
      outcomeOf('Removed', await send((context) => new RemoveDocument(context, document))),
  }),
  list: command({
    description: 'list documents',
    options: {
      organisation: ORGANISATION,
      person: person('only the documents of this person: id, work e-mail or staff id'),
    },
    run: async ({ organisation, person: of }, { pool }) => {
      const documents: DocumentRow[] = [];
      for (let page: readonly DocumentRow[] | null = null; page === null || page.length === ROWS_AT_ONCE;) {
        const last = documents.at(-1);
        page = await listDocuments(pool, {
          organisationId: organisation.id,
          personId: of?.person_id ?? null,
          since: null,
          horizon: null,
          after: last === undefined ? null : { time: last.created_at.toISOString(), id: last.id },
          count: ROWS_AT_ONCE,
        });
        documents.push(...page);
      }
      const columns = {
        ID: 'id',
        PERSON: 'person_name',
        NAME: 'name',
        TYPE: 'document_type_label',
        EXPIRES: 'expires_on',
      } as const;
      return listOf('documents', documents, columns, presentDocument);
    },
  }),
};

function metadataOf(given: object): Partial<DocumentMetadata> {
  return fieldsOf(given, { ...FIELDS, ...DATES }) as Partial<DocumentMetadata>;
}

function outcomeOf(done: string, document: DocumentRow): Outcome {
  const { id, name, person_name: of } = document;
  return { json: presentDocument(document), text: `${done} ${name} of ${of} (${id}).` };
}

/** A document type by id or label; active types come first. */
function documentType(description: string): Parameter<string | undefined> {
  const read = (given: unknown) => async (scope: Scope) =>
    given === undefined ? undefined : typeIdOf(scope, given as string);
  return { placeholder: '<type>', description, read };
}

async function typeIdOf({ pool, organisation }: Scope, type: string): Promise<string> {
  if (hasFormOfIdentifier('documentType', type)) return type;
  const found = await findByNames(pool, documentTypeTable, organisation!.id, [type]);
  const first = found.get(nameKey(type))?.[0];
  if (first === undefined)
    throw new NotFoundError(
      `There is no document type ${type}: workforce reference list --dictionary document-types shows all.`,
    );
  return first.id;
}
