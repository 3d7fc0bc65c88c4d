import { fold } from '#kernel/aggregate.js';
import { type Adjustment, decideLedger, evolveLedger, initialLedger } from './ledger.js';

const ENTRY: Adjustment = {
  adjustment_id: 'a',
  category_id: 'leave',
  amount_minutes: -450,
  effective_date: '2026-03-02',
  reason_code: 'payout',
  reverses: null,
};
const OPPOSITE: Adjustment = {
  ...ENTRY,
  adjustment_id: 'b',
  amount_minutes: 450,
  reason_code: 'correction',
  reverses: 'a',
};

function when(adjustment: Adjustment, ...given: readonly Adjustment[]) {
  const ledger = fold(
    { initial: initialLedger, evolve: evolveLedger },
    given.map((data) => ({ type: 'BalanceAdjusted', data }) as const),
  );
  return decideLedger({ type: 'adjust', adjustment }, ledger);
}

describe('a ledger', () => {
  it('takes an entry, and the same one once', () => {
    expect(when(ENTRY)).toEqual({ events: [{ type: 'BalanceAdjusted', data: ENTRY }] });
    expect(when(ENTRY, ENTRY)).toMatchObject({ rejection: { kind: 'conflict', details: [{ field: 'id' }] } });
    expect(when({ ...ENTRY, adjustment_id: 'c' }, ENTRY)).toHaveProperty('events');
  });

  it.each([0, 0.5, 525_601, -525_601, Number.NaN])('takes no %d minutes', (amount_minutes) => {
    expect(when({ ...ENTRY, amount_minutes })).toMatchObject({
      rejection: { kind: 'invalid_request', details: [{ field: 'amount_minutes' }] },
    });
  });

  it('reverses an entry by its opposite, on its day or later', () => {
    expect(when(OPPOSITE, ENTRY)).toEqual({ events: [{ type: 'BalanceAdjusted', data: OPPOSITE }] });
    expect(when({ ...OPPOSITE, effective_date: '2026-12-31' }, ENTRY)).toHaveProperty('events');
  });

  it.each<[string, Adjustment, readonly Adjustment[], string, string]>([
    ['a missing entry', OPPOSITE, [], 'not_found', 'reverses'],
    ['a reversed entry', { ...OPPOSITE, adjustment_id: 'c' }, [ENTRY, OPPOSITE], 'conflict', 'reverses'],
    ['an opposite', { ...ENTRY, adjustment_id: 'c', reverses: 'b' }, [ENTRY, OPPOSITE], 'conflict', 'reverses'],
    ['another amount', { ...OPPOSITE, amount_minutes: 449 }, [ENTRY], 'conflict', 'amount_minutes'],
    ['the same amount', { ...OPPOSITE, amount_minutes: -450 }, [ENTRY], 'conflict', 'amount_minutes'],
    ['another category', { ...OPPOSITE, category_id: 'sick' }, [ENTRY], 'conflict', 'category_id'],
    ['an earlier day', { ...OPPOSITE, effective_date: '2026-03-01' }, [ENTRY], 'conflict', 'effective_date'],
  ])('does not reverse %s', (_, adjustment, given, kind, field) => {
    expect(when(adjustment, ...given)).toMatchObject({ rejection: { kind, details: [{ field }] } });
  });
});
