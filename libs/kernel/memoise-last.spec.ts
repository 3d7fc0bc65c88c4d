import { memoiseLast } from './memoise-last.js';

describe('a function that remembers its last result', () => {
  it('computes once for the same argument in a row, and again after another one', () => {
    const asked: object[] = [];
    const length = memoiseLast((list: readonly string[]) => asked.push(list) && list.length);
    const [one, other] = [['a'], ['b', 'c']];
    expect([length(one), length(one), length(other), length(one)]).toEqual([1, 1, 2, 1]);
    expect(asked).toEqual([one, other, one]);
  });
});
