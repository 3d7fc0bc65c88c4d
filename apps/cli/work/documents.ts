import { hasFormOfIdentifier } from '#http/fields/rules.js';
import { type JsonObject, namedFields } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import { documentTypeTable } from '#organisation/dictionary/dictionary.js';
import { ChangeDocument, presentDocument, RecordDocument, RemoveDocument } from '#people/document/document.api.js';
import { type DocumentMetadata, type DocumentRow, listDocuments as listPage } from '#people/document/document.js';
import { nameKey } from '#kernel/names.js';
import { findByNames } from '#commands/named-resource.js';
import type { Call, Outcome } from '../command.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { textOrNull, parseInteger } from '../options.js';
import { type CommandOf, sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from './organisations.js';
import { requirePerson } from './timeline.js';

const ROWS_AT_ONCE = 1_000;

/** `workforce documents create`. */
export function createDocument(call: Call): Promise<Outcome> {
  return record(call, 'Recorded', async (context, executor) => {
    const { organisationId } = context;
    const person = await requirePerson(executor, call.options['person'] as string, organisationId);
    const metadata = {
      issued_on: null,
      expires_on: null,
      ...(await fieldsOf(executor, organisationId, call.options)),
    } as DocumentMetadata;
    return new RecordDocument(context, person.person_id, metadata);
  });
}

/** `workforce documents update`. */
export function updateDocument(call: Call): Promise<Outcome> {
  return record(call, 'Changed', async (context, executor) => {
    const changes = await fieldsOf(executor, context.organisationId, call.options);
    if (Object.keys(changes).length === 0)
      throw new UsageError('Nothing to change: name at least one field; --help lists them.');
    return new ChangeDocument(context, call.arguments[0]!, changes);
  });
}

/** `workforce documents delete`. */
export function removeDocument(call: Call): Promise<Outcome> {
  return record(call, 'Removed', (context) => new RemoveDocument(context, call.arguments[0]!));
}

/** `workforce documents list`. */
export function listDocuments({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const who = options['person'] as string | undefined;
    const personId = who === undefined ? null : (await requirePerson(pool, who, organisationId)).person_id;
    const documents = await allDocuments(pool, organisationId, personId);
    const rows = documents.map((one) => [
      one.id,
      one.person_name,
      one.name,
      one.document_type_label,
      one.expires_on ?? '',
    ]);
    return {
      json: { documents: documents.map(documentJson) },
      text: textTable(['ID', 'PERSON', 'NAME', 'TYPE', 'EXPIRES'], rows),
    };
  });
}

async function allDocuments(
  executor: Executor,
  organisationId: string,
  personId: string | null,
): Promise<readonly DocumentRow[]> {
  const documents: DocumentRow[] = [];
  for (;;) {
    const last = documents.at(-1);
    const after = last === undefined ? null : { time: last.created_at.toISOString(), id: last.id };
    const rows = await listPage(executor, {
      organisationId,
      personId,
      since: null,
      horizon: null,
      after,
      count: ROWS_AT_ONCE,
    });
    documents.push(...rows);
    if (rows.length < ROWS_AT_ONCE) return documents;
  }
}

function record({ options }: Call, done: string, commandOf: CommandOf<DocumentRow>): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const document = await sendAsOperator(installation, organisation, commandOf);
    return {
      json: documentJson(document),
      text: `${done} ${document.name} of ${document.person_name} (${document.id}).`,
    };
  });
}

/** The fields that the operator named; empty dates mean none. */
async function fieldsOf(
  executor: Executor,
  organisationId: string,
  options: Call['options'],
): Promise<Partial<DocumentMetadata>> {
  const named = (name: string): string | undefined => options[name] as string | undefined;
  const type = named('documentType');
  const fields = {
    name: named('name'),
    document_type_id: type === undefined ? undefined : await typeIdOf(executor, organisationId, type),
    content_type: named('contentType'),
    byte_size: parseInteger(named('byteSize')),
    issued_on: textOrNull(named('issuedOn')?.trim()),
    expires_on: textOrNull(named('expiresOn')?.trim()),
  };
  return namedFields(fields) as Partial<DocumentMetadata>;
}

/** The document type that the operator named by id or label; active types come first. */
async function typeIdOf(executor: Executor, organisationId: string, type: string): Promise<string> {
  if (hasFormOfIdentifier('documentType', type)) return type;
  const found = await findByNames(executor, documentTypeTable, organisationId, [type]);
  const first = found.get(nameKey(type))?.[0];
  if (first === undefined)
    throw new NotFoundError(
      `There is no document type ${type}: workforce reference list --dictionary document-types shows all.`,
    );
  return first.id;
}

function documentJson(row: DocumentRow): JsonObject {
  return presentDocument(row) as unknown as JsonObject;
}
