import type { IncomingMessage } from 'node:http';
import Fastify from 'fastify';
import { countTurns } from '../../../test/support/event-loop/count-turns.js';
import { leaveBodiesUnparsed, MAX_BODY_BYTES, readBody } from './request-body.js';

it('reads a body of megabytes in steps, and yields to other work between them', async () => {
  const server = Fastify();
  leaveBodiesUnparsed(server);
  let parsedAfter = 0;
  server.post('/', { bodyLimit: 8 * MAX_BODY_BYTES }, async (request) => {
    const body = await readBody(request, request.body as IncomingMessage);
    parsedAfter = turnsNow();
    return { characters: (body as { csv: string }).csv.length };
  });
  let turnsNow = (): number => 0;
  let arrivedAt = 0;
  server.addHook('preParsing', async () => void (arrivedAt = turnsNow()));
  const post = async (csv: string): Promise<number> => {
    let turns = 0;
    turnsNow = () => turns;
    let isEnded = false;
    const count = (): void => {
      turns += 1;
      if (!isEnded) setImmediate(count);
    };
    setImmediate(count);
    const { statusCode, json } = await server.inject({ method: 'POST', url: '/', payload: { csv } });
    isEnded = true;
    expect([statusCode, json()]).toEqual([200, { characters: csv.length }]);
    return parsedAfter - arrivedAt;
  };
  const small = await post('a small file');
  expect(await post('ü"\n'.repeat(300_000))).toBeGreaterThanOrEqual(small + 3);
  await server.close();
});

it('reads one body of megabytes in a turn of the event loop, however many arrive at once', async () => {
  const server = Fastify();
  leaveBodiesUnparsed(server);
  server.post('/', { bodyLimit: 8 * MAX_BODY_BYTES }, async (request) => {
    await readBody(request, request.body as IncomingMessage);
    return {};
  });
  const payload = { csv: 'ü"\n'.repeat(300_000) };
  const { turns } = await countTurns(() =>
    Promise.all(Array.from({ length: 12 }, () => server.inject({ method: 'POST', url: '/', payload }))),
  );
  expect(turns).toBeGreaterThanOrEqual(3 * 12);
  await server.close();
});
