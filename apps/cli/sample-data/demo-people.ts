import { type Faker, Faker as FakerClass, base, en, en_GB } from '@faker-js/faker';
import { addDays, type LocalDate } from '#kernel/dates.js';
import { type Calendar, instantOn } from './calendar.js';
import {
  DEPARTMENTS,
  type DemoFact,
  type DemoPerson,
  FOUR_DAYS_MINUTES,
  FULL_TIME_MINUTES,
  type NamedPerson,
  WORK_PLACES,
  WORK_TYPES,
} from './demo-person.js';
import { storyPeople } from './story.js';

const DEPARTMENT_NAMES = Object.keys(DEPARTMENTS);
const FULL_TIME = 0.82;
/** Of the people who were there when the organisation began to use the service. */
const AT_FIRST = 48;
/** The last days belong to the story, so that the payroll of the last month is the same for every crowd. */
const QUIET_DAYS = 120;
const LAST_JOINER_DAYS = 100;

/** Which people to generate. */
export interface DemoPeopleSettings {
  /** The same seed and calendar generate the same people. */
  readonly seed: number;
  /** How many; those of the story are the last ones, and always among them. */
  readonly count: number;
  /** Of their e-mail addresses. */
  readonly domain: string;
}

/** The number of the person who manages this one; null for the head of the organisation. */
export function managerOf(
  number: number,
  { department, isLeader }: Pick<DemoPerson, 'department' | 'isLeader'>,
): number | null {
  if (number === 0) return null;
  return isLeader ? 0 : DEPARTMENT_NAMES.indexOf(department);
}

/** Generates the leaders of the departments, the other people, and those of the story. */
export function generateDemoPeople(
  { seed, count, domain }: DemoPeopleSettings,
  calendar: Calendar,
): readonly DemoPerson[] {
  const faker = new FakerClass({ locale: [en_GB, en, base] });
  faker.seed(seed);
  const story = storyPeople(calendar);
  const taken = new Set(story.map((person) => emailOf(person, domain)));
  const crowd = Array.from({ length: count - story.length }, (_, number) => ({
    ...nameOf(faker, taken, domain),
    ...careerOf(faker, number, calendar),
  }));
  return [...crowd, ...story].map((person, number) => ({
    ...person,
    email: emailOf(person, domain),
    staffId: `E-${1_001 + number}`,
  }));
}

function careerOf(
  faker: Faker,
  number: number,
  calendar: Calendar,
): Omit<NamedPerson, 'firstName' | 'preferredName' | 'lastName'> {
  const isLeader = number < DEPARTMENT_NAMES.length;
  const department = isLeader ? DEPARTMENT_NAMES[number]! : faker.helpers.arrayElement(DEPARTMENT_NAMES);
  const startDate = startOf(faker, number, calendar);
  const isFullTime = isLeader || faker.number.float() < FULL_TIME;
  const ladder = DEPARTMENTS[department]!;
  return {
    startDate,
    hiredAt: instantOn(calendar, addDays(startDate, number % 3), number),
    title: isLeader ? ladder.at(-1)! : ladder[0]!,
    department,
    workPlace: faker.helpers.arrayElement(WORK_PLACES),
    workType: WORK_TYPES[isFullTime ? 0 : 1],
    minutes: isFullTime ? FULL_TIME_MINUTES : faker.helpers.arrayElement([900, 1_350, FOUR_DAYS_MINUTES]),
    isLeader,
    facts: isLeader ? [] : factsOf(faker, { number, department, startDate, calendar }),
    renamed: null,
  };
}

function startOf(faker: Faker, number: number, { today, firstDay }: Calendar): LocalDate {
  if (number < DEPARTMENT_NAMES.length) return addDays(firstDay, -1_400 + number * 35);
  return number < AT_FIRST
    ? addDays(firstDay, -faker.number.int({ min: 30, max: 1_200 }))
    : addDays(today, -faker.number.int({ min: LAST_JOINER_DAYS, max: 1_800 }));
}

function nameOf(
  faker: Faker,
  taken: Set<string>,
  domain: string,
): Pick<DemoPerson, 'firstName' | 'preferredName' | 'lastName'> {
  for (;;) {
    const name = { firstName: faker.person.firstName(), lastName: faker.person.lastName() };
    const email = emailOf(name, domain);
    if (taken.has(email)) continue;
    taken.add(email);
    return { ...name, preferredName: faker.number.float() < 0.15 ? preferredNameOf(name.firstName) : null };
  }
}

/** What people of a name are usually called. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  Abigail: 'Abby',
  Alexander: 'Alex',
  Alexandra: 'Alex',
  Amanda: 'Mandy',
  Andrew: 'Andy',
  Anthony: 'Tony',
  Benjamin: 'Ben',
  Catherine: 'Cathy',
  Christina: 'Tina',
  Christopher: 'Chris',
  Daniel: 'Dan',
  Deborah: 'Debbie',
  Elizabeth: 'Liz',
  Frederick: 'Fred',
  Gabriella: 'Gaby',
  Gregory: 'Greg',
  Isabella: 'Bella',
  Jacqueline: 'Jackie',
  James: 'Jim',
  Jennifer: 'Jenny',
  Jonathan: 'Jon',
  Joseph: 'Joe',
  Joshua: 'Josh',
  Katherine: 'Kate',
  Kimberly: 'Kim',
  Margaret: 'Maggie',
  Matthew: 'Matt',
  Michael: 'Mike',
  Nicholas: 'Nick',
  Pamela: 'Pam',
  Patricia: 'Trish',
  Rebecca: 'Becky',
  Richard: 'Rick',
  Robert: 'Rob',
  Samantha: 'Sam',
  Samuel: 'Sam',
  Stephanie: 'Steph',
  Steven: 'Steve',
  Theodore: 'Theo',
  Thomas: 'Tom',
  Timothy: 'Tim',
  Victoria: 'Vicky',
  William: 'Will',
  Zachary: 'Zach',
};
/** For names without a usual short form: many people go by another name. */
const OTHER_NAMES = ['Robin', 'Jo', 'Max', 'Charlie', 'Frankie', 'Sasha', 'Billie', 'Ash', 'Lou', 'Toni'];

/**
 * The name that somebody goes by: a usual short form, or another name, which is the same for the same first
 * name.
 */
function preferredNameOf(firstName: string): string {
  const letters = [...firstName].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0);
  const others = OTHER_NAMES.filter((name) => name !== firstName);
  return SHORT_FORMS[firstName] ?? others[letters % others.length]!;
}

function emailOf({ firstName, lastName }: Pick<DemoPerson, 'firstName' | 'lastName'>, domain: string): string {
  return `${firstName}.${lastName}@${domain}`.toLowerCase().replace(/[^a-z.@-]/g, '');
}

interface Career {
  readonly number: number;
  readonly department: string;
  readonly startDate: LocalDate;
  readonly calendar: Calendar;
}

/** Promotions, fewer hours, an end, a return; most are recorded some days late, and some are corrected. */
function factsOf(faker: Faker, { number, department, startDate, calendar }: Career): readonly DemoFact[] {
  const facts: DemoFact[] = [];
  const quietSince = addDays(calendar.today, -QUIET_DAYS);
  const ladder = DEPARTMENTS[department]!;
  const recordedAfter = (date: LocalDate, days: number): string =>
    instantOn(calendar, addDays(date, days), number + facts.length);
  let date = addDays(startDate, faker.number.int({ min: 240, max: 600 }));
  for (const title of ladder.slice(1, -1)) {
    if (date >= quietSince) break;
    facts.push({ type: 'change', date, title, recordedAt: recordedAfter(date, number % 10) });
    if (number % 8 === 5 && facts.length === 1) {
      const reason = 'The letter of promotion is dated two weeks earlier.';
      facts.push({
        type: 'correct',
        date: addDays(date, -14),
        title,
        reason,
        corrects: 0,
        recordedAt: recordedAfter(date, 40),
      });
    }
    date = addDays(date, faker.number.int({ min: 300, max: 700 }));
  }
  if (number % 5 === 0 && date < quietSince) {
    facts.push({ type: 'change', date, minutes: FOUR_DAYS_MINUTES, recordedAt: recordedAfter(date, 2) });
    date = addDays(date, 200);
  }
  if (number % 4 === 3 && date < quietSince) {
    facts.push({ type: 'end', date, recordedAt: recordedAfter(date, 0) });
    const back = addDays(date, 150);
    if (number % 3 === 0 && back < quietSince)
      facts.push({ type: 'reactivate', date: back, title: ladder[1]!, department, recordedAt: recordedAfter(back, 0) });
  } else if (number % 9 === 4) {
    const coming = addDays(calendar.today, 30 + number);
    facts.push({
      type: 'change',
      date: coming,
      title: `${ladder[1]!} (acting lead)`,
      recordedAt: recordedAfter(calendar.today, -20),
    });
  }
  return facts;
}
