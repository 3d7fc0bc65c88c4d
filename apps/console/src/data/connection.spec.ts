import { cancelWrite, ConnectionError, send } from './connection.js';

const request = (key: string): Request =>
  new Request('http://hr.example/api/v1/people', { method: 'POST', headers: { 'idempotency-key': key }, body: '{}' });

afterEach(() => jest.restoreAllMocks());

it('says that no answer came, and that one broke off', async () => {
  const fetching = jest.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await expect(send(request('one'))).rejects.toThrow(ConnectionError);
  const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError('network error')) });
  fetching.mockResolvedValueOnce(new Response(broken, { status: 200 }));
  await expect(send(request('one'))).rejects.toThrow(ConnectionError);
});

it('hands on answers with and without a body', async () => {
  const fetching = jest
    .spyOn(globalThis, 'fetch')
    .mockResolvedValueOnce(new Response('{"data":1}', { status: 201, headers: { etag: '"a"' } }));
  const answer = await send(request('two'));
  expect([answer.status, answer.headers.get('etag'), await answer.json()]).toEqual([201, '"a"', { data: 1 }]);
  fetching.mockResolvedValueOnce(new Response(null, { status: 204 }));
  expect((await send(request('two'))).status).toBe(204);
});

it('sends nothing more of a write that was cancelled', async () => {
  const fetching = jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  await expect(send(request('three'))).rejects.toThrow(ConnectionError);
  cancelWrite('three');
  await expect(send(request('three'))).rejects.toThrow('the write was cancelled');
  expect(fetching).toHaveBeenCalledTimes(1);
});
