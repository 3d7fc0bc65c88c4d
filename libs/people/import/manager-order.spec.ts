import { linesOnCycles } from './manager-order.js';

describe('lines that lead to the lines of their managers', () => {
  it('are on a cycle only if they lead back to themselves', () => {
    const managerOf = new Map([
      [2, 3],
      [3, 4],
      [4, 3],
      [5, 2],
      [6, 9],
      [7, 7],
    ]);
    expect([...linesOnCycles(managerOf)].sort()).toEqual([3, 4, 7]);
  });

  it('may lead far up without a cycle', () => {
    const managerOf = new Map(Array.from({ length: 50_000 }, (_, index) => [index, index + 1] as const));
    expect(linesOnCycles(managerOf).size).toBe(0);
  });
});
