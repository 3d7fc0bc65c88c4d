import type { AttemptResult, Recorded } from './delivery-store.js';
import { ResultWriter } from './result-writer.js';

const result = (deliveryId: string): AttemptResult => ({ claimed: { deliveryId } }) as AttemptResult;
const recorded = ({ claimed }: AttemptResult): Recorded => ({
  deliveryId: claimed.deliveryId,
  status: 'delivered',
  seconds: 0,
});

describe('results of attempts', () => {
  it('that come together are written together, and those that come meanwhile with the next write', async () => {
    const batches: number[] = [];
    let release: () => void = () => undefined;
    const writer = new ResultWriter(async (results) => {
      batches.push(results.length);
      if (batches.length === 1) await new Promise<void>((resolve) => (release = resolve));
      return results.map(recorded);
    });
    const first = [1, 2, 3].map((index) => writer.record(result(`first ${index}`)));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const second = [1, 2].map((index) => writer.record(result(`second ${index}`)));
    release();
    expect((await Promise.all([...first, ...second])).map((one) => one?.deliveryId)).toEqual([
      'first 1',
      'first 2',
      'first 3',
      'second 1',
      'second 2',
    ]);
    expect(batches).toEqual([3, 2]);
  });

  it('are written in batches of a hundred at most', async () => {
    const batches: number[] = [];
    const writer = new ResultWriter(async (results) => {
      batches.push(results.length);
      return results.map(recorded);
    });
    await Promise.all(Array.from({ length: 250 }, (_, index) => writer.record(result(String(index)))));
    expect(batches).toEqual([100, 100, 50]);
  });

  it('whose delivery another process has taken over come to nothing', async () => {
    const writer = new ResultWriter(async () => []);
    expect(await writer.record(result('lost'))).toBeUndefined();
  });

  it('are written again where a write fails, and fail where none succeeds; later ones are not held up', async () => {
    let failures = 1;
    const errors = new Error('away');
    const writer = new ResultWriter(
      async (results) => {
        if (failures > 0) {
          failures -= 1;
          throw errors;
        }
        return results.map(recorded);
      },
      [1, 1],
    );
    expect(await writer.record(result('a'))).toMatchObject({ deliveryId: 'a' });
    failures = 3;
    await expect(writer.record(result('b'))).rejects.toBe(errors);
    expect(await writer.record(result('c'))).toMatchObject({ deliveryId: 'c' });
  });
});
