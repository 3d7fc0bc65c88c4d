import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { EARLIEST_DATE, isLocalDate, LATEST_DATE, type LocalDate } from '#kernel/dates.js';
import { changesOf } from '#kernel/json.js';
import { conflict, type Issue, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { nameProblem } from '../../naming/name-key.js';

/** The metadata of a document; never its bytes, nor where they are. */
export type DocumentMetadata = {
  /** May reveal something about the person, so it is stored encrypted with their key (`document-seal.ts`). */
  readonly name: string;
  readonly document_type_id: string;
  /** A media type in lower case, without parameters. */
  readonly content_type: string;
  readonly byte_size: number;
  readonly issued_on: LocalDate | null;
  readonly expires_on: LocalDate | null;
};

// These names and fields are the storage format: add new ones, never rename or remove. `name` is stored encrypted as
// `sealed_name`.
export type DocumentEvent =
  | DomainEvent<'DocumentRecorded', DocumentMetadata & { readonly person_id: string }>
  | DomainEvent<'DocumentChanged', { readonly changes: Partial<DocumentMetadata> }>
  | DomainEvent<'DocumentRemoved', Record<string, never>>;

export type DocumentState =
  { readonly status: 'none' } | { readonly status: 'recorded' | 'removed'; readonly personId: string; readonly metadata: DocumentMetadata };

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

/** What a command records, or why it is refused. A change that changes nothing records nothing; no command finds a removed document. */
export function decideDocument(command: DocumentCommand, state: DocumentState): Decision<DocumentEvent> {
  if (command.type === 'record') {
    const rejection = fieldsRejection(command.metadata);
    if (rejection !== null) return reject(rejection);
    if (state.status !== 'none') return reject(conflict('id', 'a document with this id exists already'));
    if (!isInOrder(command.metadata)) return reject({ kind: 'invalid_request', message: OUT_OF_ORDER.issue, details: [OUT_OF_ORDER] });
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
  const rejection = fieldsRejection(named);
  if (rejection !== null) return reject(rejection);
  if (!isInOrder({ ...metadata, ...named })) return reject(conflict(OUT_OF_ORDER.field, OUT_OF_ORDER.issue));
  const changes = changesOf(named, metadata);
  return changes === null ? accept() : accept({ type: 'DocumentChanged', data: { changes } });
}

const OUT_OF_ORDER: Issue = { field: 'expires_on', issue: 'must not lie before issued_on' };

function isInOrder({ issued_on: issued, expires_on: expires }: DocumentMetadata): boolean {
  return issued === null || expires === null || issued <= expires;
}

function fieldsRejection(fields: Partial<DocumentMetadata>): Rejection | null {
  const details = Object.entries(fields).flatMap(([field, value]): readonly Issue[] => {
    const issue = value === undefined ? null : fieldProblem(field as keyof DocumentMetadata, value);
    return issue === null ? [] : [{ field, issue }];
  });
  return details.length === 0 ? null : { kind: 'invalid_request', message: details[0]!.issue, details };
}

/** A type and a subtype of RFC 6838 in lower case. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

function fieldProblem(field: keyof DocumentMetadata, value: string | number | null): string | null {
  switch (field) {
    case 'name':
      return nameProblem(String(value ?? ''));
    case 'document_type_id':
      return typeof value === 'string' && value !== '' ? null : 'is required';
    case 'content_type':
      return MEDIA_TYPE.test(String(value)) ? null : 'must be a media type without parameters, such as application/pdf';
    case 'byte_size':
      return Number.isSafeInteger(value) && Number(value) >= 0 ? null : `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;
    case 'issued_on':
    case 'expires_on':
      return value === null ? null : dateProblem(value);
    default:
      return unreachable(field);
  }
}

function dateProblem(value: string | number): string | null {
  if (!isLocalDate(value)) return 'must be a date that exists, written YYYY-MM-DD';
  return value < EARLIEST_DATE || value > LATEST_DATE ? `must lie between ${EARLIEST_DATE} and ${LATEST_DATE}` : null;
}

export const documentAggregate = defineAggregate({
  category: 'document',
  idKind: 'document',
  initial: initialDocument,
  evolve: evolveDocument,
});
