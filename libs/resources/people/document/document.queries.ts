import { allOf, prepared, raw, sql } from '#database/sql.js';
import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import type { Executor } from '#projections/projection.js';
import { nameOpener } from './document-seal.js';
import type { DocumentMetadata } from './document.decider.js';

/** A row of `documents` with its name decrypted, and the current names of the resources that it refers to. */
export interface DocumentRow extends DocumentMetadata {
  readonly id: string;
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

/** Where a page of documents begins, and in which order it runs. */
export interface DocumentPage {
  readonly organisationId: string;
  /** Null for the documents of all people. */
  readonly personId: string | null;
  /** Inclusive, ISO 8601: in the order of marks; null: in the order of creation. */
  readonly since: string | null;
  /** Marks after this one are left for the next sync, so that a sync ends while writes go on; null for the first page. */
  readonly horizon: string | null;
  /** The last row of the page before: its time in this order, and its id. */
  readonly after: { readonly time: string; readonly id: string } | null;
  /** Rows to fetch. */
  readonly count: number;
}

type SealedRow = Omit<DocumentRow, 'name'> & { readonly sealed_name: string; readonly key: Buffer | null };

const COLUMNS = `d.id, d.person_id, p.display_name as person_name, d.sealed_name, k.key, d.document_type_id, t.label as document_type_label,
  d.content_type, d.byte_size, d.issued_on, d.expires_on, d.created_at, d.updated_at, d.sync_mark`;

/** Joins the current names of the resources that a document refers to; the id replaces a name that is not projected yet, after a crash. */
const NAMES = `
  left join people p on p.organisation_id = d.organisation_id and p.person_id = d.person_id
  left join document_types t on t.organisation_id = d.organisation_id and t.id = d.document_type_id
  left join person_keys k on k.organisation_id = d.organisation_id and k.person_id = d.person_id`;

/** For queries whose first value is the organisation. */
const EXISTS = 'd.organisation_id = $1 and d.removed_at is null';

/** The document; null where this organisation has none with this id, or it was removed. */
export async function findDocument(executor: Executor, organisationId: string, documentId: string): Promise<DocumentRow | null> {
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
    rows.map(async (row) => ({ ...(await opened(executor, organisationId, row)), time: row[column], horizon: row.horizon })),
  );
}

/** The document type; null where this organisation has none with this id. */
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
