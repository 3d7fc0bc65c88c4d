import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import { allOf, prepared, raw, sql } from '#database/sql.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { EARLIEST_DATE, isLocalDate, LATEST_DATE } from '#kernel/dates.js';
import { ERASED } from '#kernel/erasure.js';
import { date, defineFields, integer, name, orNull, reference, text, type ValuesOf } from '#kernel/field-list.js';
import { changesOf, type JsonObject } from '#kernel/json.js';
import { conflict, type Issue, notFound } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { oneRowProjection, type Projectable } from '#projections/one-row-table.js';
import type { Executor } from '#projections/projection.js';
import { openJson, sealJson } from '../person/person-seal.js';

/** A type and a subtype of RFC 6838 in lower case. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/**
 * The metadata of a document; never its bytes, nor where they are stored. Inside an event the names are the
 * storage format.
 */
export const DOCUMENT = defineFields({
  // May reveal something about the person, so it is stored encrypted with their key.
  name: name({
    maximumLength: 200,
    description: 'Reads [erased] where the personal data of the person was erased.',
    example: 'Employment contract 2026.pdf',
    option: ['<name>', 'its name'],
  }),
  document_type_id: {
    ...reference('documentType', { outside: 'document_type' }),
    problem: (id: string) => (id === '' ? 'is required' : null),
  },
  content_type: text({
    normalise: (type) => type.trim().toLowerCase(),
    problem: (type) =>
      MEDIA_TYPE.test(type) ? null : 'must be a media type without parameters, such as application/pdf',
    description: 'A media type without parameters.',
    example: 'application/pdf',
    option: ['<type>', 'media type, such as application/pdf'],
  }),
  byte_size: integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    example: 184_320,
    option: ['<bytes>', 'its size in bytes'],
  }),
  issued_on: orNull(
    date({
      normalise: (day) => day.trim(),
      problem: dateProblem,
      option: ['<date>', 'YYYY-MM-DD; empty for unknown'],
    }),
  ),
  expires_on: orNull(
    date({
      normalise: (day) => day.trim(),
      problem: dateProblem,
      description: 'The last day on which the document is valid; never before issued_on.',
      option: ['<date>', 'last day of validity, YYYY-MM-DD; empty for never'],
    }),
  ),
});

export type DocumentMetadata = ValuesOf<typeof DOCUMENT.fields>;

// These names and fields are the storage format: add new ones, never rename or remove. `name` is stored
// encrypted as `sealed_name`.
export type DocumentEvent =
  | DomainEvent<'DocumentRecorded', DocumentMetadata & { readonly person_id: string }>
  | DomainEvent<'DocumentChanged', { readonly changes: Partial<DocumentMetadata> }>
  | DomainEvent<'DocumentRemoved', Record<string, never>>;

export type DocumentState =
  | { readonly status: 'none' }
  | { readonly status: 'recorded' | 'removed'; readonly personId: string; readonly metadata: DocumentMetadata };

export const initialDocument: DocumentState = { status: 'none' };

/** The state with one more event. */
export function evolveDocument(state: DocumentState, event: DocumentEvent): DocumentState {
  if (event.type === 'DocumentRecorded') {
    const { person_id: personId, ...metadata } = event.data;
    return { status: 'recorded', personId, metadata };
  }
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'DocumentChanged':
      return { ...state, metadata: { ...state.metadata, ...event.data.changes } };
    case 'DocumentRemoved':
      return { ...state, status: 'removed' };
    default:
      return unreachable(event);
  }
}

export type DocumentCommand =
  | { readonly type: 'record'; readonly personId: string; readonly metadata: DocumentMetadata }
  | { readonly type: 'change'; readonly changes: Partial<DocumentMetadata> }
  | { readonly type: 'remove' };

/**
 * The events of a command, or the reason for its refusal. A command without a change records nothing; a
 * removed document is not found.
 */
export function decideDocument(command: DocumentCommand, state: DocumentState): Decision<DocumentEvent> {
  if (command.type === 'record') {
    const rejection = DOCUMENT.rejection(command.metadata);
    if (rejection !== null) return reject(rejection);
    if (state.status !== 'none') return reject(conflict('id', 'a document with this id exists already'));
    if (!isInOrder(command.metadata))
      return reject({ kind: 'invalid_request', message: OUT_OF_ORDER.issue, details: [OUT_OF_ORDER] });
    return accept({ type: 'DocumentRecorded', data: { person_id: command.personId, ...command.metadata } });
  }
  if (state.status !== 'recorded') return reject(notFound('document_id', 'there is no such document'));
  switch (command.type) {
    case 'change':
      return decideChange(command.changes, state.metadata);
    case 'remove':
      return accept({ type: 'DocumentRemoved', data: {} });
    default:
      return unreachable(command);
  }
}

function decideChange(named: Partial<DocumentMetadata>, metadata: DocumentMetadata): Decision<DocumentEvent> {
  const rejection = DOCUMENT.rejection(named);
  if (rejection !== null) return reject(rejection);
  if (!isInOrder({ ...metadata, ...named })) return reject(conflict(OUT_OF_ORDER.field, OUT_OF_ORDER.issue));
  const changes = changesOf(named, metadata);
  return changes === null ? accept() : accept({ type: 'DocumentChanged', data: { changes } });
}

const OUT_OF_ORDER: Issue = { field: 'expires_on', issue: 'must not lie before issued_on' };

function isInOrder({ issued_on: issued, expires_on: expires }: DocumentMetadata): boolean {
  return issued === null || expires === null || issued <= expires;
}

function dateProblem(value: string): string | null {
  if (!isLocalDate(value)) return 'must be a date that exists, written YYYY-MM-DD';
  return value < EARLIEST_DATE || value > LATEST_DATE ? `must lie between ${EARLIEST_DATE} and ${LATEST_DATE}` : null;
}

export const documentAggregate = defineAggregate({
  category: 'document',
  idKind: 'document',
  initial: initialDocument,
  evolve: evolveDocument,
});

/**
 * The read table of documents. Names are encrypted here too and decrypted when they are read, so that erasing
 * a person's key erases them at once. Removed documents keep their row, with `removed_at`, and are in no
 * response.
 */
export const DOCUMENTS_SCHEMA = `
create table documents (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  person_id text collate "C" not null,
  sealed_name text not null,
  document_type_id text collate "C" not null,
  content_type text not null,
  byte_size bigint not null,
  issued_on date,
  expires_on date,
  removed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  sync_mark timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index documents_in_order_of_creation on documents (organisation_id, created_at, id) where removed_at is null;
create index documents_in_order_of_marks on documents (organisation_id, sync_mark, id) where removed_at is null;
create index documents_of_person on documents (organisation_id, person_id, created_at, id) where removed_at is null;
`;

/** Decrypts a document's name. */
export type NameOpener = (sealed: string) => string;

/** An event as it is stored: the document's name is encrypted with the key of its person. */
export function sealDocumentEvent(event: DocumentEvent, key: Buffer): DomainEvent {
  const seal = ({ name, ...rest }: JsonObject): JsonObject =>
    name === undefined ? rest : { ...rest, sealed_name: sealJson(name, key) };
  switch (event.type) {
    case 'DocumentRecorded':
      return { type: event.type, data: seal(event.data) };
    case 'DocumentChanged':
      return { type: event.type, data: { changes: seal(event.data.changes) } };
    case 'DocumentRemoved':
      return event;
  }
}

/** The event in the decider's form. */
export function openDocumentEvent({ type, data }: DomainEvent, open: NameOpener): DocumentEvent {
  const named = ({ sealed_name: sealed, ...rest }: JsonObject): JsonObject =>
    sealed === undefined ? rest : { ...rest, name: open(sealed as string) };
  const opened = type === 'DocumentChanged' ? { changes: named(data['changes'] as JsonObject) } : named(data);
  return { type, data: opened } as DocumentEvent;
}

/** Decrypts names with a person's key; without the key, after erasure, they read `[erased]`. */
export function nameOpener(key: Buffer | null): NameOpener {
  return (sealed) => (key === null ? ERASED : (openJson(sealed, key) as string));
}

/** The aggregate with encrypted names, so that projecting and rebuilding need no keys. */
const SEALED: Projectable<DocumentState, DomainEvent> = {
  category: documentAggregate.category,
  initial: documentAggregate.initial,
  evolve: (state, event) =>
    documentAggregate.evolve(
      state,
      openDocumentEvent(event, (sealed) => sealed),
    ),
};

/** Documents, including removed ones; names are encrypted. */
export const documentProjection = oneRowProjection(SEALED, {
  table: 'documents',
  columns: [
    'person_id',
    'sealed_name',
    'document_type_id',
    'content_type',
    'byte_size',
    'issued_on',
    'expires_on',
    'removed_at',
  ],
  isMarked: true,
  row: (state, stream) => {
    const { name, ...metadata } = state.metadata;
    return {
      ...metadata,
      person_id: state.personId,
      sealed_name: name,
      removed_at: state.status === 'removed' ? stream.at(-1)!.recordedAt : null,
    };
  },
});

/** A row of `documents` with its name decrypted, and the current names of the resources that it refers to. */
export interface DocumentRow extends DocumentMetadata {
  readonly id: string;
  readonly revision: number;
  readonly person_id: string;
  readonly person_name: string;
  readonly document_type_label: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly sync_mark: Date;
}

/** A document with its place in the order of a list. */
export interface ListedDocument extends DocumentRow {
  readonly time: Date;
  readonly horizon: Date | null;
}

/** The start of a page of documents, and the order of the list. */
export interface DocumentPage {
  readonly organisationId: string;
  /** Null for the documents of all people. */
  readonly personId: string | null;
  /** Inclusive, ISO 8601: in the order of marks; null: in the order of creation. */
  readonly since: string | null;
  /**
   * Marks after this one are left for the next sync, so that a sync ends while writes continue; null for the
   * first page.
   */
  readonly horizon: string | null;
  /** The last row of the previous page: its time in this order, and its id. */
  readonly after: { readonly time: string; readonly id: string } | null;
  /** Rows to fetch. */
  readonly count: number;
}

type SealedRow = Omit<DocumentRow, 'name'> & { readonly sealed_name: string; readonly key: Buffer | null };

const COLUMNS = `d.id, d.revision, d.person_id, p.display_name as person_name, d.sealed_name, k.key, d.document_type_id,
  t.label as document_type_label, d.content_type, d.byte_size, d.issued_on, d.expires_on, d.created_at, d.updated_at, d.sync_mark`;

/**
 * Joins the current names of the resources that a document refers to; the id replaces a name that is not
 * projected yet, after a crash.
 */
const NAMES = `
  left join people p on p.organisation_id = d.organisation_id and p.person_id = d.person_id
  left join document_types t on t.organisation_id = d.organisation_id and t.id = d.document_type_id
  left join person_keys k on k.organisation_id = d.organisation_id and k.person_id = d.person_id`;

/** Condition of existing documents, for statements whose first parameter is the organisation. */
const EXISTS = 'd.organisation_id = $1 and d.removed_at is null';

/** The document; null if this organisation has none with this id, or it was removed. */
export async function findDocument(
  executor: Executor,
  organisationId: string,
  documentId: string,
): Promise<DocumentRow | null> {
  const { rows } = await executor.query<SealedRow>({
    name: 'find-document',
    text: `select ${COLUMNS} from documents d ${NAMES} where ${EXISTS} and d.id = $2`,
    values: [organisationId, documentId],
  });
  return rows[0] === undefined ? null : opened(executor, organisationId, rows[0]);
}

/** A page of documents, and the mark up to which a sync that starts now reads. */
export async function listDocuments(executor: Executor, page: DocumentPage): Promise<readonly ListedDocument[]> {
  const { organisationId, personId, since, horizon, after, count } = page;
  const column = since === null ? 'created_at' : 'sync_mark';
  const place = raw(`d.${column}, d.id`);
  const conditions = [sql`d.organisation_id = ${organisationId} and d.removed_at is null`];
  if (personId !== null) conditions.push(sql`d.person_id = ${personId}`);
  if (since !== null) conditions.push(sql`d.sync_mark >= ${since}`);
  if (horizon !== null) conditions.push(sql`d.sync_mark <= ${horizon}`);
  if (after !== null) conditions.push(sql`(${place}) > (${after.time}, ${after.id})`);
  const mark =
    since !== null && horizon === null
      ? sql`(select high_water from sync_marks where organisation_id = ${organisationId} and resource = 'documents')`
      : sql`null::timestamptz`;
  const { rows } = await executor.query<SealedRow & Pick<ListedDocument, 'horizon'>>(
    prepared(sql`select ${raw(COLUMNS)}, ${mark} as horizon from (
        select * from documents d where ${allOf(conditions)} order by ${place} limit ${count}
      ) d ${raw(NAMES)} order by ${place}`),
  );
  return Promise.all(
    rows.map(async (row) => ({
      ...(await opened(executor, organisationId, row)),
      time: row[column],
      horizon: row.horizon,
    })),
  );
}

/** The document type; null if this organisation has none with this id. */
export async function findDocumentType(
  executor: Executor,
  organisationId: string,
  documentTypeId: string,
): Promise<{ readonly is_active: boolean } | null> {
  const { rows } = await executor.query<{ is_active: boolean }>({
    name: 'find-document-type',
    text: 'select is_active from document_types where organisation_id = $1 and id = $2',
    values: [organisationId, documentTypeId],
  });
  return rows[0] ?? null;
}

async function opened(
  executor: Executor,
  organisationId: string,
  { sealed_name: sealed, key: stored, ...row }: SealedRow,
): Promise<DocumentRow> {
  const key = await openPersonKey(executor, { organisationId, personId: row.person_id }, stored);
  return {
    ...row,
    name: nameOpener(key)(sealed),
    person_name: row.person_name ?? row.person_id,
    document_type_label: row.document_type_label ?? row.document_type_id,
  };
}
