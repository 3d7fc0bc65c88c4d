import { routeTable } from '#http/operations/route-table.js';
import type { HttpError } from '#http/errors.js';
import { RejectedError } from '#kernel/rejection.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { authenticatedKey } from '../../test/support/http/authenticated-key.js';
import { CallSequence } from './call-sequence.js';
import type { Caller } from './caller.js';
import { Catalogue } from './catalogue.js';
import type { Reading } from './reading.js';
import { ToolCalls } from './tool-calls.js';
import type { Writing } from './writing.js';

const reported: HttpError[] = [];
const CALLER: Caller = {
  key: authenticatedKey(),
  requestId: 'req_1',
  address: () => 'http://localhost',
  client: null,
  turns: new CallSequence(() => Promise.resolve()),
  onWrite: () => Promise.resolve(),
  onInvoke: () => undefined,
  onError: (error) => reported.push(error),
};

const NO_WRITES = {} as Writing;

/** Tool calls over reads with the given results. */
function callsOver(read: () => Promise<string>): ToolCalls {
  return new ToolCalls(new Catalogue(routeTable(RESOURCE_MODULES)), { read } as unknown as Reading, NO_WRITES);
}

beforeEach(() => {
  reported.length = 0;
});

it('reports the cause of a failure, and tells the caller only that there was one', async () => {
  const cause = new Error('a row of somebody');
  const failing = callsOver(() => Promise.reject(cause)).call(CALLER, 'list_people', {});
  await expect(failing).rejects.toMatchObject({
    code: -32_603,
    message: 'The service could not answer.',
    data: { code: 'internal_error', request_id: 'req_1' },
  });
  expect(reported.map((error) => error.cause)).toEqual([cause]);
});

it('returns a refusal that other arguments may avoid as a result, with the error of REST', async () => {
  const refused = new RejectedError({ kind: 'not_found', message: 'there is no such person', details: [] });
  const { isError, content } = await callsOver(() => Promise.reject(refused)).call(CALLER, 'read_person', {
    person_id: 'x',
  });
  expect(isError).toBe(true);
  expect(content).toEqual([
    { type: 'text', text: '{"error":{"code":"not_found","message":"There is no such person.","request_id":"req_1"}}' },
  ]);
  expect(reported).toEqual([]);
});

it('shows what turns or hides text as a visible escape, in the text and in the structured content alike', async () => {
  const name = `Ada${String.fromCodePoint(0x202e, 0x200b, 0xe0041)}`;
  const { structuredContent, content } = await callsOver(() =>
    Promise.resolve(JSON.stringify({ data: { name } })),
  ).call(CALLER, 'read_person', {});
  expect(content).toEqual([{ type: 'text', text: '{"data":{"name":"Ada\\u202e\\u200b\\udb40\\udc41"}}' }]);
  expect(structuredContent).toEqual({ data: { name: 'Ada\\u202e\\u200b\\udb40\\udc41' } });
});

it.each([
  ['list_operations', { tag: null }],
  ['list_operations', { tag: '' }],
  ['list_people', { limit: null, q: '', department_id: null }],
  ['call_read_operation', { operation: 'listPeople', arguments: null }],
  ['call_read_operation', { operation: 'listPeople', arguments: { q: '', cursor: null } }],
])('takes null and an empty text of %s %j as not given', async (name, values) => {
  const calls = callsOver(() => Promise.resolve('{}'));
  expect((await calls.call(CALLER, name, values)).isError).toBeUndefined();
});

it.each([
  ['list_operations', { tag: 7 }, 'tag'],
  ['list_operations', { tags: 'People' }, 'tags'],
  ['describe_operation', {}, 'operation'],
  ['describe_operation', { operation: '' }, 'operation'],
  ['describe_operation', { operation: null }, 'operation'],
  ['call_read_operation', { operation: 'listPeople', arguments: [] }, 'arguments'],
])('says what is wrong with the arguments of %s %j', async (name, values, field) => {
  const { isError, content } = await callsOver(() => Promise.resolve('{}')).call(CALLER, name, values);
  expect([isError, JSON.parse((content[0] as { readonly text: string }).text)]).toMatchObject([
    true,
    { error: { details: [{ field }] } },
  ]);
});
