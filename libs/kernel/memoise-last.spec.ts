import { memoiseLast } from './memoise-last.js';

describe('a function that caches its last result', () => {
  it('computes once for repeated calls with one argument, and again after a call with another one', () => {
    const asked: object[] = [];
    const length = memoiseLast((list: readonly string[]) => asked.push(list) && list.length);
    const [one, other] = [['a'], ['b', 'c']];
    expect([length(one), length(one), length(other), length(one)]).toEqual([1, 1, 2, 1]);
    expect(asked).toEqual([one, other, one]);
  });
});
