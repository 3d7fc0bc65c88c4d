import { setImmediate as nextTurn } from 'node:timers/promises';
import { HttpError } from '#http/errors.js';
import { CallSequence, MAX_ANSWER_BYTES, MAX_TOTAL_ANSWER_BYTES } from './call-sequence.js';

const FREE = (): Promise<void> => Promise.resolve();

it('runs calls one after the other, and other requests in between', async () => {
  const turns = new CallSequence(FREE);
  const order: string[] = [];
  const call = (name: string) => async () => {
    order.push(`${name} begins`);
    await nextTurn();
    order.push(`${name} ends`);
  };
  const calls = [turns.take(call('a')), turns.take(call('b'))];
  const other = nextTurn().then(() => nextTurn().then(() => order.push('another request')));
  await Promise.all([...calls, other]);
  expect(order).toEqual(['a begins', 'a ends', 'another request', 'b begins', 'b ends']);
});

it('draws for every call but the first, and goes on after one that was refused or failed', async () => {
  let left = 1;
  const turns = new CallSequence(async () => {
    if (left === 0) throw new HttpError('rate_limited');
    left -= 1;
  });
  const failing = (): Promise<never> => Promise.reject(new Error('failed'));
  const settled = await Promise.allSettled([
    turns.take(failing),
    turns.take(() => 'second'),
    turns.take(() => 'third'),
  ]);
  expect(settled).toMatchObject([
    { status: 'rejected', reason: { message: 'failed' } },
    { status: 'fulfilled', value: 'second' },
    { status: 'rejected', reason: { code: 'rate_limited' } },
  ]);
});

it('bounds what a call answers, and what all of them answer together', async () => {
  const turns = new CallSequence(FREE);
  const read = (bytes: number) => () => turns.answerRead('x'.repeat(bytes));
  await expect(turns.take(read(MAX_ANSWER_BYTES + 1))).rejects.toThrow(/smaller limit/);
  for (let sum = 0; sum < MAX_TOTAL_ANSWER_BYTES; sum += MAX_ANSWER_BYTES) await turns.take(read(MAX_ANSWER_BYTES));
  const ran = jest.fn();
  await expect(turns.take(ran)).rejects.toThrow(/this batch/);
  expect(ran).not.toHaveBeenCalled();
});

it('counts bytes, not characters, and answers a write whatever it has', async () => {
  const turns = new CallSequence(FREE);
  await expect(turns.take(() => turns.answerRead('é'.repeat(MAX_ANSWER_BYTES / 2 + 1)))).rejects.toThrow(
    /smaller limit/,
  );
  await turns.take(() => turns.answerWrite('x'.repeat(MAX_TOTAL_ANSWER_BYTES - 1)));
  await expect(turns.take(() => turns.answerRead('xx'))).rejects.toThrow(/this batch/);
});
