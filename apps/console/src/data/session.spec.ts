import { readFromConsole, request } from './session.js';

const PATH = 'http://console.example/console/facts';

/** Answers requests with these statuses in turn, and the last one to all others. */
function answering(...statuses: readonly number[]): jest.SpyInstance {
  const left = [...statuses];
  return jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation(() =>
      Promise.resolve(Response.json({ data: 'read' }, { status: left.length > 1 ? left.shift()! : left[0]! })),
    );
}

afterEach(() => jest.restoreAllMocks());

it('repeats reads, and writes with an idempotency key, of a service that was busy', async () => {
  answering(503, 200);
  expect(await readFromConsole(PATH)).toBe('read');
  answering(503, 200);
  expect((await request('POST', PATH, {}, { 'idempotency-key': 'one' })).status).toBe(200);
});

it('does not repeat a write without an idempotency key', async () => {
  const fetched = answering(503, 200);
  await expect(request('POST', PATH, {})).rejects.toMatchObject({ status: 503 });
  expect(fetched).toHaveBeenCalledTimes(1);
});
