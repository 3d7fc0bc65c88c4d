import type { CommandContext } from '#commands/command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import { forwardCalls } from '#event-store/forward-calls.js';
import { DOCUMENT_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { changeDocument, recordDocument } from '#people/document/document.api.js';
import type { DocumentMetadata, DocumentRow } from '#people/document/document.js';
import { testContext } from '../support/command-services.js';
import { type ApiAnswer, dataOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { Person, Schemas } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { withoutIds } from '../support/api/without-ids.js';

const UNKNOWN = 'doc_aaaaaaaa.bbbbbbbb.cccccccccccc';

type Document = Schemas['DocumentResponse'];

let person: Person;
let types: readonly { readonly id: string }[];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

beforeAll(async () => {
  person = await people.create({ first_name: 'Ada', last_name: 'Byron' });
  types = [...(await DOCUMENT_TYPES.findOrCreate(api.services, context(), ['Contract', 'Medical'])).values()];
});

const context = (): CommandContext => testContext(organisation.row.id);
const record = (fields: Partial<DocumentMetadata> = {}, personId = person.id): Promise<DocumentRow> => {
  const metadata = {
    name: 'Contract.pdf',
    document_type_id: types[0]!.id,
    content_type: 'application/pdf',
    byte_size: 1_024,
    issued_on: null,
    expires_on: null,
    ...fields,
  };
  return recordDocument(api.services, context(), personId, metadata);
};
const change = (id: string, changes: Partial<DocumentMetadata>): Promise<DocumentRow> =>
  changeDocument(api.services, context(), id, changes);
const read = (id: string): Promise<ApiAnswer<Document>> => organisation.client.get<Document>(`/documents/${id}`);
const list = (query: Record<string, string | number> = {}): Promise<ApiAnswer<readonly Document[]>> =>
  organisation.client.get<readonly Document[]>('/documents', query);
const idsOf = (answer: ApiAnswer<readonly Document[]>): readonly string[] => dataOf(200, answer).map(({ id }) => id);

describe('GET /documents/{documentId}', () => {
  it('shows what is known of a document, whose it is and its type as both are called today, and no bytes and no link', async () => {
    const { id } = await record({
      name: '  Contract   2026.pdf ',
      content_type: 'Application/PDF',
      issued_on: '2026-01-01',
      expires_on: '2026-12-31',
    });
    const document = dataOf(200, await read(id));
    expect(document).toMatchObject({
      id: expect.stringMatching(/^doc_/),
      person: { id: person.id, display_name: 'Ada Byron' },
      name: 'Contract 2026.pdf',
      document_type: { id: types[0]!.id, label: 'Contract' },
      content_type: 'application/pdf',
      byte_size: 1_024,
      issued_on: '2026-01-01',
      expires_on: '2026-12-31',
    });
    const medical = await record({ document_type_id: types[1]!.id });
    await DOCUMENT_TYPES.command(api.services, context(), types[1]!.id, { type: 'relabel', label: 'Health' });
    expect(dataOf(200, await read(medical.id)).document_type.label).toBe('Health');
    expect(withoutIds((await read(id)).text)).not.toMatch(/https?:|base64|url/i);
  });
});

describe('GET /documents', () => {
  it('shows what was recorded before the largest updated_at that was seen, and became visible after it', async () => {
    const owner = await people.create();
    const late = context();
    const { store } = api.services;
    let staged: Parameters<EventStore['append']> | null = null;
    const append = (...parameters: Parameters<EventStore['append']>): Promise<never> => {
      staged = parameters;
      return Promise.reject(new Error('stopped before the append'));
    };
    const metadata = {
      name: 'late',
      document_type_id: types[0]!.id,
      content_type: 'text/plain',
      byte_size: 0,
      issued_on: null,
      expires_on: null,
    };
    const stopped = recordDocument(
      { ...api.services, store: { ...forwardCalls(store), append } },
      late,
      owner.id,
      metadata,
    );
    await expect(stopped).rejects.toThrow('stopped before the append');
    const [stream, expected, newEvents] = staged!;
    await store.append(stream, expected, newEvents);
    const id = api.services.mint.prefixed('document', organisation.row.id, ...late.seed);
    const events = await store.readStream(stream);
    let early: DocumentRow;
    do early = await record({}, owner.id);
    while (early.updated_at.toISOString() <= events[0]!.recordedAt);
    const since = early.updated_at.toISOString();
    expect(idsOf(await list({ person_id: owner.id, updated_since: since }))).toEqual([early.id]);
    await api.services.projector.project(api.database.pool, [events]);
    const shown = dataOf(200, await list({ person_id: owner.id, updated_since: since }));
    expect(shown.map((document) => document.id).sort()).toEqual([id, early.id].sort());
    expect(shown.find((document) => document.id === id)!.updated_at).toBe(events[0]!.recordedAt);
  });
});

describe('commands on documents', () => {
  it('are refused for a person, a type or a document that the organisation has not, and for a type that is not in use', async () => {
    const foreign = await api.organisation();
    const theirs = await new PeopleActions(foreign).create();
    await expect(record({}, theirs.id)).rejects.toThrow('there is no such person');
    await expect(record({ document_type_id: 'dt_aaaaaaaa.bbbbbbbb.cccccccccccc' })).rejects.toThrow(
      'there is no such document type',
    );
    const closed = (await DOCUMENT_TYPES.findOrCreate(api.services, context(), ['Closed'])).get('closed')!;
    const kept = await record({ document_type_id: closed.id });
    await DOCUMENT_TYPES.command(api.services, context(), closed.id, { type: 'deactivate' });
    await expect(record({ document_type_id: closed.id })).rejects.toThrow('this document type is not active');
    const { id } = await record();
    await expect(change(id, { document_type_id: closed.id })).rejects.toThrow('this document type is not active');
    expect(await change(kept.id, { document_type_id: closed.id, byte_size: 7 })).toMatchObject({
      byte_size: 7,
      document_type_label: 'Closed',
    });
    await expect(changeDocument(api.services, testContext(foreign.row.id), id, { byte_size: 2 })).rejects.toThrow(
      'there is no such document',
    );
    await expect(change(UNKNOWN, { byte_size: 2 })).rejects.toThrow('there is no such document');
  });
});
