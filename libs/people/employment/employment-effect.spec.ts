import { decideEffects, type Effect, type EffectEvent, evolveEffects, initialEffects } from './employment-effect.js';

const effect = (effective_date: string, fact_id = 'f1'): Effect => ({ effective_date, fact_id });
const took = (data: Effect): EffectEvent => ({ type: 'EmploymentTookEffect', data });
const takenBack = (data: Effect): EffectEvent => ({ type: 'EmploymentEffectTakenBack', data });
const again = (data: Effect): EffectEvent => ({ type: 'EmploymentTookEffectAgain', data });

/** Given these events, when this day is reached with these effects, then these are recorded. */
function takeEffect(given: readonly EffectEvent[], today: string, due: readonly Effect[]): readonly EffectEvent[] {
  const decision = decideEffects({ today, due }, given.reduce(evolveEffects, initialEffects));
  return 'events' in decision ? decision.events : [];
}

const FIFTH = effect('2026-03-05');
const SIXTH = effect('2026-03-06', 'f2');

describe('given nothing', () => {
  it('records each effect that has come', () =>
    expect(takeEffect([], '2026-03-06', [FIFTH, SIXTH])).toEqual([took(FIFTH), took(SIXTH)]));
});

describe('given an effect that is shown', () => {
  it('records nothing when the job runs again on its day', () =>
    expect(takeEffect([took(FIFTH)], '2026-03-05', [FIFTH])).toEqual([]));
  it('tells it from another fact of the same day', () =>
    expect(takeEffect([took(FIFTH)], '2026-03-05', [effect('2026-03-05', 'f9')])).toEqual([
      took(effect('2026-03-05', 'f9')),
    ]));
  it('takes it back when its day lies ahead', () =>
    expect(takeEffect([took(FIFTH), took(SIXTH)], '2026-03-05', [])).toEqual([takenBack(SIXTH)]));
});

describe('given an effect that was taken back', () => {
  it('takes it back once', () => expect(takeEffect([took(FIFTH), takenBack(FIFTH)], '2026-03-04', [])).toEqual([]));
  it('records, when its day comes, that it took effect again', () =>
    expect(takeEffect([took(FIFTH), takenBack(FIFTH)], '2026-03-05', [FIFTH])).toEqual([again(FIFTH)]));
  it('may be taken back any number of times', () =>
    expect(takeEffect([took(FIFTH), takenBack(FIFTH), again(FIFTH)], '2026-03-04', [])).toEqual([takenBack(FIFTH)]));
});
