import { accept, type Decision, defineAggregate, type DomainEvent } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';

/** A day on which a person's record began to reflect another fact without a new event. */
export type Effect = { readonly effective_date: LocalDate; readonly fact_id: string };

// These names and fields are the storage format: add new ones, never rename or remove.
export type EffectEvent =
  | DomainEvent<'EmploymentTookEffect', Effect>
  /**
   * A change of time zone moved the organisation's day before the effective date again: the record has the
   * earlier terms. Not published.
   */
  | DomainEvent<'EmploymentEffectTakenBack', Effect>
  /** The effective date came again. Not published, because the first time was. */
  | DomainEvent<'EmploymentTookEffectAgain', Effect>;

/** Every recorded effect, and whether the record reflects it. */
export type EffectState = ReadonlyMap<string, Effect & { readonly isVisible: boolean }>;

export const initialEffects: EffectState = new Map();

/** The state with one more event. */
export function evolveEffects(state: EffectState, { type, data }: EffectEvent): EffectState {
  const { effective_date, fact_id } = data;
  return new Map([
    ...state,
    [keyOf(data), { effective_date, fact_id, isVisible: type !== 'EmploymentEffectTakenBack' }],
  ]);
}

/** The current day of the organisation, and the effects whose day has come. */
export interface TakeEffect {
  readonly today: LocalDate;
  readonly due: readonly Effect[];
}

/**
 * Records each effect whose day has come and that is not reflected, and reverts reflected ones whose day is
 * in the future.
 */
export function decideEffects({ today, due }: TakeEffect, state: EffectState): Decision<EffectEvent> {
  const begun = due.flatMap((effect): readonly EffectEvent[] => {
    const known = state.get(keyOf(effect));
    if (known === undefined) return [{ type: 'EmploymentTookEffect', data: effect }];
    return known.isVisible ? [] : [{ type: 'EmploymentTookEffectAgain', data: effect }];
  });
  const early = [...state.values()].filter(({ effective_date, isVisible }) => isVisible && effective_date > today);
  return accept(
    ...begun,
    ...early.map(({ effective_date, fact_id }): EffectEvent => ({
      type: 'EmploymentEffectTakenBack',
      data: { effective_date, fact_id },
    })),
  );
}

function keyOf({ effective_date: date, fact_id: factId }: Effect): string {
  return `${date} ${factId}`;
}

export const employmentEffectAggregate = defineAggregate({
  category: 'employment-effect',
  initial: initialEffects,
  evolve: evolveEffects,
  publishedAs: { EmploymentTookEffect: ['person.updated'] },
});
