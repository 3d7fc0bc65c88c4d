import { AddressLimiter } from './address-limiter.js';

it('allows the limit in a minute that begins with the first request, and again in the next minute', () => {
  let now = 5_000;
  const budget = new AddressLimiter(2, () => now);
  expect(budget.count('a')).toEqual({ isAllowed: true, isFirstRefusal: false, resetSeconds: 60 });
  now += 30_500;
  expect(budget.count('a')).toEqual({ isAllowed: true, isFirstRefusal: false, resetSeconds: 30 });
  expect(budget.count('a')).toEqual({ isAllowed: false, isFirstRefusal: true, resetSeconds: 30 });
  now += 29_499;
  expect(budget.count('a')).toEqual({ isAllowed: false, isFirstRefusal: false, resetSeconds: 1 });
  now += 1;
  expect(budget.count('a')).toEqual({ isAllowed: true, isFirstRefusal: false, resetSeconds: 60 });
});

it('counts each address separately', () => {
  const budget = new AddressLimiter(1, () => 0);
  expect([budget.count('a').isAllowed, budget.count('a').isAllowed, budget.count('b').isAllowed]).toEqual([
    true,
    false,
    true,
  ]);
});
