import { GatheredReads } from './gathered-reads.js';

type Statement = readonly [organisationId: string, ...keys: readonly string[]];

/** Finds every key but `nothing`, as the key in capital letters; fails for the organisation `broken`. */
function gathered(): { readonly reads: GatheredReads<string>; readonly statements: Statement[] } {
  const statements: Statement[] = [];
  const reads = new GatheredReads<string>((organisationId, keys) => {
    statements.push([organisationId, ...keys]);
    if (organisationId === 'broken') return Promise.reject(new Error('away'));
    return Promise.resolve(new Map(keys.filter((key) => key !== 'nothing').map((key) => [key, key.toUpperCase()])));
  });
  return { reads, statements };
}

it('reads what arrives in one turn in one statement for each organisation, and every key once', async () => {
  const { reads, statements } = gathered();
  const wanted = [reads.read('o1', 'a'), reads.read('o2', 'a'), reads.read('o1', 'b'), reads.read('o1', 'a'), reads.read('o1', 'nothing')];
  expect(await Promise.all(wanted)).toEqual(['A', 'A', 'B', 'A', null]);
  expect(statements).toEqual([
    ['o1', 'a', 'b', 'nothing'],
    ['o2', 'a'],
  ]);
});

it('begins a statement after the last read that it serves', async () => {
  const { reads, statements } = gathered();
  const first = reads.read('o1', 'a');
  await new Promise((resolve) => setImmediate(resolve));
  expect(statements).toEqual([['o1', 'a']]);
  const second = reads.read('o1', 'a');
  expect(await Promise.all([first, second])).toEqual(['A', 'A']);
  expect(statements).toHaveLength(2);
});

it('reads at most fifty keys in one statement, and loses none', async () => {
  const { reads, statements } = gathered();
  const keys = Array.from({ length: 120 }, (_, index) => `k${index}`);
  expect(await Promise.all(keys.map((key) => reads.read('o1', key)))).toEqual(keys.map((key) => key.toUpperCase()));
  expect(statements.map(([, ...read]) => read.length)).toEqual([50, 50, 20]);
});

it('fails all reads of a statement that fails, and no later one', async () => {
  const { reads, statements } = gathered();
  const results = await Promise.allSettled([reads.read('broken', 'a'), reads.read('broken', 'b'), reads.read('o1', 'a')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  await expect(reads.read('broken', 'c')).rejects.toThrow('away');
  expect(statements).toHaveLength(3);
});
