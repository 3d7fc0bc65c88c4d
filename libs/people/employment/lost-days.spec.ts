import { losesDays } from './lost-days.js';
import type { Fact } from './timeline.js';

function fact(revision: number, action: Fact['action'], date: string | null, corrects: string | null = null): Fact {
  return { factId: `f${revision}`, action, revision, date, terms: {}, correctionReason: null, corrects };
}

const STARTED = fact(0, 'start', '2026-01-01');
const UNDATED = fact(0, 'start', null);
const ENDED = fact(1, 'end', '2026-06-30');
const REHIRED = fact(2, 'reactivate', '2026-09-01');

it.each<[string, readonly Fact[], Fact]>([
  ['a final day', [STARTED], ENDED],
  ['an earlier final day', [STARTED, ENDED], fact(2, 'correction', '2026-05-31', 'f1')],
  ['a later first day', [STARTED], fact(1, 'correction', '2026-02-01', 'f0')],
  ['a later first day of a rehire', [STARTED, ENDED, REHIRED], fact(3, 'correction', '2026-10-01', 'f2')],
  ['a first day that is named after all', [UNDATED], fact(1, 'correction', '2026-03-01', 'f0')],
  ['one after a dated change', [UNDATED, fact(1, 'change', '2026-02-01')], fact(2, 'correction', '2026-03-01', 'f0')],
])('%s takes days away', (_, before, added) => {
  expect(losesDays(before, [...before, added])).toBe(true);
});

it.each<[string, readonly Fact[], Fact]>([
  ['a start', [], STARTED],
  ['a change of terms', [STARTED], fact(1, 'change', '2026-03-01')],
  ['a later final day', [STARTED, ENDED], fact(2, 'correction', '2026-07-31', 'f1')],
  ['an earlier first day', [STARTED], fact(1, 'correction', '2025-12-01', 'f0')],
  ['a rehire', [STARTED, ENDED], REHIRED],
  ['the first dated change of an employment without a first day', [UNDATED], fact(1, 'change', '2026-03-01')],
])('%s takes no day away', (_, before, added) => {
  expect(losesDays(before, [...before, added])).toBe(false);
});
