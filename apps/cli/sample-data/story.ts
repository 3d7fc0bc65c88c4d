import { addDays, type LocalDate } from '#kernel/dates.js';
import { type Calendar, mondayBy, instantOn } from './calendar.js';
import {
  type DemoFact,
  FOUR_DAYS_MINUTES,
  FULL_TIME_MINUTES,
  type NamedPerson,
  WORK_PLACES,
  WORK_TYPES,
} from './demo-person.js';

/**
 * The person to look at first: a promotion was recorded, and corrected when it had been in force for two
 * weeks.
 */
export const FIRST_TO_LOOK_AT = { firstName: 'Nadia', lastName: 'Rahman' } as const;

/**
 * A question about {@link FIRST_TO_LOOK_AT} with two answers: what was in force on a day, as known at two
 * moments.
 */
export interface Comparison {
  readonly asOf: LocalDate;
  /** ISO 8601 in UTC. */
  readonly knownAt: string;
  /** ISO 8601 in UTC, later than the other. */
  readonly comparedKnownAt: string;
}

/** The day is one on which the promotion was in force, as everybody knows since the correction. */
export function comparisonOf({ today, lastMonth }: Calendar): Comparison {
  return {
    asOf: addDays(lastMonth, -15),
    knownAt: `${addDays(lastMonth, 10)}T12:00:00Z`,
    comparedKnownAt: `${today}T00:00:00Z`,
  };
}

/** A person of the story: everything that is not named is usual. */
interface Character {
  readonly name: readonly [first: string, last: string];
  readonly title: string;
  readonly department: string;
  readonly startDate: LocalDate;
  /** The day on which the person was recorded; the day of the start where it is not given. */
  readonly hiredOn?: LocalDate;
  readonly facts?: readonly DemoFact[];
  readonly renamed?: NamedPerson['renamed'];
}

/**
 * People by hand: in the last month somebody starts, leaves, returns, is paid differently in retrospect;
 * somebody's dates turn out to be wrong; and things are recorded that are still to come.
 */
export function storyPeople(calendar: Calendar): readonly NamedPerson[] {
  return [...peopleOfLastMonth(calendar), ...correctedPeople(calendar), ...comingPeople(calendar)].map(
    (character, index) => personOf(character, index, calendar),
  );
}

function personOf(
  { name, startDate, hiredOn, facts, renamed, ...job }: Character,
  index: number,
  calendar: Calendar,
): NamedPerson {
  return {
    ...job,
    firstName: name[0],
    preferredName: null,
    lastName: name[1],
    startDate,
    hiredAt: instantOn(calendar, hiredOn ?? startDate, 200 + index),
    workPlace: WORK_PLACES[index % WORK_PLACES.length]!,
    workType: WORK_TYPES[0],
    minutes: FULL_TIME_MINUTES,
    isLeader: false,
    facts: facts ?? [],
    renamed: renamed ?? null,
  };
}

/** What payroll sees of the last month: starters, leavers, a return and a change in retrospect. */
function peopleOfLastMonth(calendar: Calendar): readonly Character[] {
  const { firstDay, lastMonth } = calendar;
  const on = (day: LocalDate): string => instantOn(calendar, day, 300);
  const [firstMonday, secondMonday, thirdMonday] = [2, 9, 16].map((days) => mondayBy(addDays(lastMonth, days))) as [
    string,
    string,
    string,
  ];
  return [
    {
      name: ['Tomasz', 'Zielinski'],
      title: 'Product Analyst',
      department: 'Product',
      startDate: firstMonday,
      hiredOn: addDays(lastMonth, -18),
    },
    {
      name: ['Grace', 'Adeyemi'],
      title: 'Support Specialist',
      department: 'Customer Success',
      startDate: secondMonday,
      hiredOn: addDays(secondMonday, 7),
    },
    {
      name: ['Linus', 'Berg'],
      title: 'Accountant',
      department: 'Finance',
      startDate: addDays(firstDay, -640),
      facts: [{ type: 'end', date: addDays(lastMonth, 25), recordedAt: on(addDays(lastMonth, 4)) }],
    },
    {
      name: ['Jonah', 'Whitfield'],
      title: 'Designer',
      department: 'Design',
      startDate: addDays(firstDay, 380),
      facts: [
        {
          type: 'change',
          date: addDays(lastMonth, -20),
          minutes: FOUR_DAYS_MINUTES,
          recordedAt: on(addDays(lastMonth, 8)),
        },
      ],
    },
    {
      name: ['Elena', 'Marchetti'],
      title: 'Software Engineer',
      department: 'Engineering',
      startDate: addDays(firstDay, 100),
      facts: [
        { type: 'end', date: addDays(firstDay, 900), recordedAt: on(addDays(firstDay, 900)) },
        {
          type: 'reactivate',
          date: thirdMonday,
          title: 'Senior Software Engineer',
          department: 'Engineering',
          recordedAt: on(thirdMonday),
        },
      ],
    },
  ];
}

/** Beliefs that changed. */
function correctedPeople(calendar: Calendar): readonly Character[] {
  const { firstDay, lastMonth } = calendar;
  const on = (day: LocalDate): string => instantOn(calendar, day, 300);
  const missed = addDays(firstDay, 1_200);
  const title = 'Senior Software Engineer';
  return [
    {
      name: [FIRST_TO_LOOK_AT.firstName, FIRST_TO_LOOK_AT.lastName],
      title: 'Software Engineer',
      department: 'Engineering',
      startDate: addDays(firstDay, -210),
      facts: [
        { type: 'change', date: lastMonth, title, recordedAt: on(addDays(lastMonth, -6)) },
        {
          type: 'correct',
          date: addDays(lastMonth, -30),
          title,
          reason: 'The letter of promotion is dated a month earlier.',
          corrects: 0,
          recordedAt: on(addDays(lastMonth, 17)),
        },
      ],
    },
    {
      name: ['Margaret', 'Oduya'],
      title: 'People Partner',
      department: 'People',
      startDate: addDays(firstDay, 40),
      facts: [
        { type: 'end', date: addDays(lastMonth, 10), recordedAt: on(addDays(lastMonth, 2)) },
        {
          type: 'correct',
          date: addDays(lastMonth, 17),
          reason: 'She stayed a week longer to hand over.',
          corrects: 0,
          recordedAt: on(addDays(lastMonth, 9)),
        },
      ],
    },
    {
      name: ['Haruto', 'Sato'],
      title: 'Product Manager',
      department: 'Product',
      startDate: addDays(firstDay, 220),
      facts: [
        {
          type: 'correct',
          date: missed,
          minutes: FOUR_DAYS_MINUTES,
          reason: 'Nobody had recorded the move to four days.',
          corrects: null,
          recordedAt: on(addDays(missed, 95)),
        },
      ],
    },
    {
      name: ['Rosa', 'Whitcombe'],
      title: 'Senior Designer',
      department: 'Design',
      startDate: addDays(firstDay, 510),
      renamed: { lastName: 'Lindqvist', recordedAt: on(addDays(calendar.today, -3)) },
    },
  ];
}

/** What is recorded and has not come yet. */
function comingPeople(calendar: Calendar): readonly Character[] {
  const { firstDay, today } = calendar;
  const on = (day: LocalDate): string => instantOn(calendar, day, 300);
  const starter = (
    name: Character['name'],
    inDays: number,
    recorded: number,
    job: Pick<Character, 'title' | 'department'>,
  ): Character => ({
    name,
    ...job,
    startDate: mondayBy(addDays(today, inDays)),
    hiredOn: addDays(today, -recorded),
  });
  return [
    starter(['Kofi', 'Mensah'], 5, 16, { title: 'Software Engineer', department: 'Engineering' }),
    starter(['Ingrid', 'Solberg'], 26, 6, { title: 'Senior Accountant', department: 'Finance' }),
    starter(['Yusuf', 'Demir'], 61, 2, { title: 'Support Specialist', department: 'Customer Success' }),
    {
      name: ['Beatriz', 'Costa'],
      title: 'Customer Success Manager',
      department: 'Customer Success',
      startDate: addDays(firstDay, 300),
      facts: [{ type: 'end', date: addDays(today, 25), recordedAt: on(addDays(today, -5)) }],
    },
    {
      name: ['Samir', 'Haddad'],
      title: 'Product Analyst',
      department: 'Product',
      startDate: addDays(firstDay, 760),
      facts: [
        {
          type: 'change',
          date: mondayBy(addDays(today, 14)),
          title: 'Product Manager',
          recordedAt: on(addDays(today, -4)),
        },
      ],
    },
  ];
}
