import { accept, type Decision, defineAggregate, type DomainEvent } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';

/** A day on which a person's record began to show another fact although nothing was recorded. */
export type Effect = { readonly effective_date: LocalDate; readonly fact_id: string };

// These names and fields are the storage format: add new ones, never rename or remove.
export type EffectEvent =
  | DomainEvent<'EmploymentTookEffect', Effect>
  /** The organisation's day went back before it, with its time zone: the record shows what it showed before. Not published. */
  | DomainEvent<'EmploymentEffectTakenBack', Effect>
  /** Its day came once more. Not published: the first time was. */
  | DomainEvent<'EmploymentTookEffectAgain', Effect>;

/** Every effect that was ever recorded, and whether the record shows it. */
export type EffectState = ReadonlyMap<string, Effect & { readonly isShown: boolean }>;

export const initialEffects: EffectState = new Map();

/** The state with one more event. */
export function evolveEffects(state: EffectState, { type, data }: EffectEvent): EffectState {
  const { effective_date, fact_id } = data;
  return new Map([...state, [keyOf(data), { effective_date, fact_id, isShown: type !== 'EmploymentEffectTakenBack' }]]);
}

/** What the day is where the organisation is, and which effects have come by then. */
export interface TakeEffect {
  readonly today: LocalDate;
  readonly come: readonly Effect[];
}

/** Records each effect that has come and is not shown, and takes back those that are shown and whose day lies ahead. */
export function decideEffects({ today, come }: TakeEffect, state: EffectState): Decision<EffectEvent> {
  const begun = come.flatMap((effect): readonly EffectEvent[] => {
    const known = state.get(keyOf(effect));
    if (known === undefined) return [{ type: 'EmploymentTookEffect', data: effect }];
    return known.isShown ? [] : [{ type: 'EmploymentTookEffectAgain', data: effect }];
  });
  const early = [...state.values()].filter(({ effective_date, isShown }) => isShown && effective_date > today);
  return accept(
    ...begun,
    ...early.map(({ effective_date, fact_id }): EffectEvent => ({ type: 'EmploymentEffectTakenBack', data: { effective_date, fact_id } })),
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
