import { restAfter } from './pace.js';

describe('the rest between two looks at endpoints that are behind', () => {
  it('is a tenth of a second after a quick look, and longer after a slow one', () => {
    expect([0, 5, 10].map(restAfter)).toEqual([100, 100, 100]);
    expect(restAfter(15)).toBe(150);
  });

  it('never exceeds a quarter of a second, however long a look took', () => {
    expect([25, 6_000].map(restAfter)).toEqual([250, 250]);
  });
});
