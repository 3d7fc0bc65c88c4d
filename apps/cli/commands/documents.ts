import { findByNames } from '#commands/named-resource.js';
import { hasFormOfIdentifier } from '#http/fields/rules.js';
import { nameKey } from '#kernel/names.js';
import { documentTypeTable } from '#organisation/dictionary/dictionary.js';
import { ChangeDocument, presentDocument, RecordDocument, RemoveDocument } from '#people/document/document.api.js';
import { DOCUMENT, type DocumentMetadata, type DocumentRow, listDocuments } from '#people/document/document.js';
import { command } from '../command.js';
import { NotFoundError } from '../command-error.js';
import type { Outcome, Parameter, Scope } from '../declaration.js';
import { optionsOf, optionsOfNew, valuesOf } from '../field-options.js';
import { argument, NOTHING_TO_CHANGE, ORGANISATION, person, required } from '../options.js';
import { listOf } from '../text-table.js';

const ROWS_AT_ONCE = 1_000;

const ID = argument('id of the document');
const TYPE = { document_type: documentType('label or id of the document type') };

/** `workforce documents …`. */
export const commands = {
  create: command({
    description: 'record a document',
    options: {
      organisation: ORGANISATION,
      person: required(person('the person it belongs to: id, work e-mail or staff id')),
      ...optionsOfNew(DOCUMENT, TYPE),
    },
    run: async (given, { send }) => {
      const metadata = { ...DOCUMENT.initial, ...valuesOf(DOCUMENT, given) } as DocumentMetadata;
      return outcomeOf(
        'Recorded',
        await send((context) => new RecordDocument(context, given.person.person_id, metadata)),
      );
    },
  }),
  update: command({
    description: 'change the metadata of a document',
    arguments: { document: ID },
    options: { organisation: ORGANISATION, ...optionsOf(DOCUMENT, TYPE) },
    changes: NOTHING_TO_CHANGE,
    run: async (given, { send }) =>
      outcomeOf(
        'Changed',
        await send((context) => new ChangeDocument(context, given.document, valuesOf(DOCUMENT, given))),
      ),
  }),
  delete: command({
    alias: 'remove',
    description: 'delete a document; the API no longer shows it',
    arguments: { document: ID },
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
