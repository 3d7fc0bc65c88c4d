import type { LocalDate } from '#kernel/dates.js';

/** When something was recorded: ISO 8601 in UTC. */
interface Recorded {
  readonly recordedAt: string;
}

/**
 * One dated fact of a synthetic employment, in the order in which it is recorded. Managers are numbers of
 * people.
 */
export type DemoFact = Recorded &
  (
    | { readonly type: 'change'; readonly date: LocalDate; readonly title?: string; readonly minutes?: number }
    /** `corrects`: the index of the fact that is replaced; null for a fact that nobody had recorded. */
    | {
        readonly type: 'correct';
        readonly date: LocalDate;
        readonly title?: string;
        readonly minutes?: number;
        readonly reason: string;
        readonly corrects: number | null;
      }
    | { readonly type: 'end'; readonly date: LocalDate }
    | { readonly type: 'reactivate'; readonly date: LocalDate; readonly title: string; readonly department: string }
  );

/** A synthetic person and their employment. */
export interface DemoPerson {
  readonly firstName: string;
  readonly preferredName: string | null;
  readonly lastName: string;
  readonly email: string;
  readonly staffId: string;
  readonly startDate: LocalDate;
  /** When the person was recorded. */
  readonly hiredAt: string;
  readonly title: string;
  readonly department: string;
  readonly workPlace: string;
  readonly workType: string;
  readonly minutes: number;
  readonly isLeader: boolean;
  readonly facts: readonly DemoFact[];
  /** A later change of the last name; null where there is none. */
  readonly renamed: (Recorded & { readonly lastName: string }) | null;
}

/** A person of whom the rest is made up: staff id and e-mail address. */
export type NamedPerson = Omit<DemoPerson, 'email' | 'staffId'>;

export const FULL_TIME_MINUTES = 2_250;
export const FOUR_DAYS_MINUTES = 1_800;
export const WORK_PLACES = ['London office', 'Leeds office', 'Remote'] as const;
export const WORK_TYPES = ['Full-time', 'Part-time'] as const;

/**
 * Departments with the ladder of titles that a career in them climbs. The last title is that of the person
 * who leads it.
 */
export const DEPARTMENTS: { readonly [name: string]: readonly string[] } = {
  Engineering: ['Software Engineer', 'Senior Software Engineer', 'Staff Engineer', 'Engineering Manager'],
  Product: ['Product Analyst', 'Product Manager', 'Senior Product Manager'],
  Design: ['Designer', 'Senior Designer', 'Head of Design'],
  'Customer Success': ['Support Specialist', 'Customer Success Manager', 'Head of Customer Success'],
  Finance: ['Accountant', 'Senior Accountant', 'Finance Director'],
  People: ['People Partner', 'Senior People Partner', 'Head of People'],
};

/** The units above the departments. */
export const DIVISIONS: { readonly [name: string]: readonly string[] } = {
  'Product and Technology': ['Engineering', 'Product', 'Design'],
  'Business Operations': ['Customer Success', 'Finance', 'People'],
};
