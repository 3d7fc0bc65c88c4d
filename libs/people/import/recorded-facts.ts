import type { LocalDate } from '#kernel/dates.js';
import { type Fact, type FactKind, kindOf, type Terms, TERM_NAMES } from '../employment/timeline.js';

interface Recorded {
  readonly fact: Fact;
  readonly kind: FactKind;
  /** Whether a row was matched to this fact. */
  isTaken: boolean;
  /** Terms of a first fact that rows repeat. */
  readonly takenTerms: Set<string>;
}

/**
 * The facts recorded before an import, including superseded ones, so that repeated rows are recognised. Each
 * fact matches at most one row; a fact counts as recorded even after it was corrected or withdrawn: importing
 * a file again does not restore it.
 */
export class RecordedFacts {
  private readonly all: readonly Recorded[];

  constructor(facts: readonly Fact[]) {
    this.all = facts
      .filter(({ action }) => action !== 'withdrawal')
      .map((fact) => ({ fact, kind: kindOf(fact, facts), isTaken: false, takenTerms: new Set() }));
  }

  /**
   * Whether a change of exactly these terms exists on this day, or a first fact of a period on this day that
   * contains them.
   */
  takeChange(date: LocalDate, terms: Terms): boolean {
    if (this.take((one) => one.kind === 'change' && one.fact.date === date && isSame(one.fact.terms, terms)))
      return true;
    const first = this.firsts().find(
      (one) =>
        one.fact.date === date &&
        names(terms).every((name) => one.fact.terms[name] === terms[name] && !one.takenTerms.has(name)),
    );
    for (const name of names(terms)) first?.takenTerms.add(name);
    return first !== undefined;
  }

  takeEnd(date: LocalDate): boolean {
    return this.take((one) => one.kind === 'end' && one.fact.date === date);
  }

  /** Whether a reactivation with at least these terms exists on this day. */
  takeReactivation(date: LocalDate, terms: Terms): boolean {
    return this.take(
      (one) =>
        one.kind === 'reactivate' &&
        one.fact.date === date &&
        names(terms).every((name) => one.fact.terms[name] === terms[name]),
    );
  }

  hasEnd(date: LocalDate): boolean {
    return this.all.some((one) => one.kind === 'end' && one.fact.date === date);
  }

  private firsts(): readonly Recorded[] {
    return this.all.filter((one) => one.kind === 'start' || one.kind === 'reactivate');
  }

  private take(matches: (one: Recorded) => boolean): boolean {
    const found = this.all.find((one) => !one.isTaken && matches(one));
    if (found !== undefined) found.isTaken = true;
    return found !== undefined;
  }
}

function names(terms: Terms): readonly (keyof Terms)[] {
  return TERM_NAMES.filter((name) => terms[name] !== undefined);
}

function isSame(one: Terms, other: Terms): boolean {
  return TERM_NAMES.every((name) => one[name] === other[name]);
}
