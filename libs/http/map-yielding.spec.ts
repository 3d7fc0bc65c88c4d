import { mapYielding } from './map-yielding.js';

/** Blocks the event loop for this many milliseconds. */
function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('work in slices', () => {
  it('returns the results in the order of the items', async () => {
    expect(await mapYielding([3, 1, 2], (item) => item * 10)).toEqual([30, 10, 20]);
    expect(await mapYielding([], hold)).toEqual([]);
  });

  it('lets other work run between long steps, each of which runs once', async () => {
    const done: string[] = [];
    setImmediate(() => done.push('other'));
    await mapYielding(['a', 'b', 'c'], (item) => {
      hold(12);
      done.push(item);
    });
    expect(done.slice(0, 2)).toEqual(['a', 'other']);
    expect(done.filter((item) => item !== 'other')).toEqual(['a', 'b', 'c']);
  });

  it('throws the error of a step', async () => {
    const failing = mapYielding([1, 2], (item) => {
      if (item === 2) throw new Error('cannot be worked on');
      return item;
    });
    await expect(failing).rejects.toThrow('cannot be worked on');
  });
});
