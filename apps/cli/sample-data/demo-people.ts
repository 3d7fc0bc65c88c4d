import { type Faker, Faker as FakerClass, base, en, en_GB } from '@faker-js/faker';
import { addDays, type LocalDate } from '#kernel/dates.js';

/** One dated fact of a synthetic employment, in the order in which it is recorded. */
export type DemoFact =
  | {
      readonly type: 'change';
      readonly date: LocalDate;
      readonly title?: string;
      readonly department?: string;
      readonly minutes?: number;
      readonly manager?: number | null;
    }
  | { readonly type: 'end'; readonly date: LocalDate }
  | {
      readonly type: 'reactivate';
      readonly date: LocalDate;
      readonly title: string;
      readonly department: string;
      readonly manager: number | null;
    };

/** A synthetic person and their employment. Managers are numbers of people generated before. */
export interface DemoPerson {
  readonly firstName: string;
  readonly preferredName: string | null;
  readonly lastName: string;
  readonly email: string;
  readonly staffId: string;
  readonly startDate: LocalDate;
  readonly title: string;
  readonly department: string;
  readonly workPlace: string;
  readonly workType: string;
  readonly minutes: number;
  readonly manager: number | null;
  readonly facts: readonly DemoFact[];
}

export const FULL_TIME_MINUTES = 2_250;
export const WORK_PLACES = ['London office', 'Leeds office', 'Remote'] as const;
export const WORK_TYPES = ['Full-time', 'Part-time'] as const;

/** Departments with the ladder of titles that a career in them climbs. */
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

const FULL_TIME = 0.82;
const LEADER_SINCE = '2018-01-08';

/** Generates the same people for the same seed. `today` decides which changes are still to come. */
export function generateDemoPeople(seed: number, count: number, domain: string, today: LocalDate): readonly DemoPerson[] {
  const faker = new FakerClass({ locale: [en_GB, en, base] });
  faker.seed(seed);
  const departments = Object.keys(DEPARTMENTS);
  const taken = new Set<string>();
  return Array.from({ length: count }, (_, index) => {
    const isLeader = index < departments.length;
    const department = isLeader ? departments[index]! : faker.helpers.arrayElement(departments);
    const startDate = isLeader
      ? addDays(LEADER_SINCE, index * 35)
      : faker.date.between({ from: '2019-02-01', to: '2025-09-01' }).toISOString().slice(0, 10);
    const name = nameOf(faker, taken, domain);
    const ladder = DEPARTMENTS[department]!;
    const isFullTime = isLeader || faker.number.float() < FULL_TIME;
    return {
      ...name,
      staffId: `E-${1_001 + index}`,
      startDate,
      title: isLeader ? ladder.at(-1)! : ladder[0]!,
      department,
      workPlace: faker.helpers.arrayElement(WORK_PLACES),
      workType: WORK_TYPES[isFullTime ? 0 : 1],
      minutes: isFullTime ? FULL_TIME_MINUTES : faker.helpers.arrayElement([900, 1_350, 1_800]),
      manager: index === 0 ? null : isLeader ? 0 : departments.indexOf(department),
      facts: isLeader ? [] : factsOf(faker, { index, department, startDate, today }),
    };
  });
}

function nameOf(faker: Faker, taken: Set<string>, domain: string): Pick<DemoPerson, 'firstName' | 'preferredName' | 'lastName' | 'email'> {
  for (;;) {
    const firstName = faker.person.firstName();
    const lastName = faker.person.lastName();
    const email = `${firstName}.${lastName}@${domain}`.toLowerCase().replace(/[^a-z.@-]/g, '');
    if (taken.has(email)) continue;
    taken.add(email);
    const preferredName = faker.number.float() < 0.15 ? firstName.slice(0, 3) : null;
    return { firstName, preferredName, lastName, email };
  }
}

function factsOf(
  faker: Faker,
  person: { readonly index: number; readonly department: string; readonly startDate: LocalDate; readonly today: LocalDate },
): readonly DemoFact[] {
  const { department, startDate, today } = person;
  const facts: DemoFact[] = [];
  let date = addDays(startDate, faker.number.int({ min: 240, max: 600 }));
  for (const title of DEPARTMENTS[department]!.slice(1, -1)) {
    if (date >= addDays(today, -200)) break;
    facts.push({ type: 'change', date, title });
    date = addDays(date, faker.number.int({ min: 300, max: 700 }));
  }
  if (person.index % 5 === 0 && date < addDays(today, -200)) {
    facts.push({ type: 'change', date, minutes: 1_800 });
    date = addDays(date, 200);
  }
  if (person.index % 7 === 3 && date < addDays(today, -200)) {
    facts.push({ type: 'end', date });
    const back = addDays(date, 150);
    if (person.index % 2 === 0) {
      const departments = Object.keys(DEPARTMENTS);
      facts.push({
        type: 'reactivate',
        date: back,
        title: DEPARTMENTS[department]![1]!,
        department,
        manager: departments.indexOf(department),
      });
    }
  } else if (person.index % 9 === 4) {
    facts.push({ type: 'change', date: addDays(today, 30 + person.index), title: `${DEPARTMENTS[department]![1]!} (acting lead)` });
  }
  return facts;
}
