import { type Faker, Faker as FakerClass, base, en, en_GB } from '@faker-js/faker';
import { addDays, type LocalDate } from '#kernel/dates.js';
import { completeIdentity } from '#people/person/person.js';
import { absencesOf } from './absences.js';
import { type Calendar, withDays } from './calendar.js';
import { DEMO, SETTINGS } from './data-files.js';
import { type Career, FULL_TIME_MINUTES, type Job, type SampleFact, type SamplePerson } from './person-data.js';
import { particularsOf } from './particulars.js';

const DEPARTMENTS = Object.keys(DEMO.ladders);
const [FULL_TIME, PART_TIME] = SETTINGS.workTypes as [string, string];
const FULL_TIME_SHARE = 0.82;
const FOUR_DAYS_MINUTES = 1_800;
/** The number of people when the organisation began to use the service. */
const AT_FIRST = 48;
/**
 * Only people of the story have facts in the last days, so that the payroll of the last month is always the
 * same.
 */
const QUIET_DAYS = 120;
const LAST_JOINER_DAYS = 100;

/** The settings for generating people. */
export interface DemoPeopleSettings {
  /** The same seed and calendar generate the same people. */
  readonly seed: number;
  /** The number of people, including those of the story, who are the last ones. */
  readonly count: number;
  /** The domain of their e-mail addresses. */
  readonly domain: string;
}

/** Generates the leaders of the departments, the other people, and those of the story. */
export function generateDemoPeople(settings: DemoPeopleSettings, calendar: Calendar): readonly SamplePerson[] {
  const { seed, count, domain } = settings;
  const faker = fakerOf(seed);
  const story = withDays(DEMO.story, calendar).map((person, index) => ({
    ...person,
    job: {
      ...person.job,
      workPlace: SETTINGS.workPlaces[index % SETTINGS.workPlaces.length]!,
      workType: FULL_TIME,
      minutes: FULL_TIME_MINUTES,
      manager: DEPARTMENTS.indexOf(person.job.department) + 1,
    },
    goesByOther: false,
    isOfStory: true,
  }));
  const taken = new Set(story.map(({ name }) => emailOf(name, domain)));
  const crowd = Array.from({ length: count - story.length }, (_, number) => ({
    ...nameOf(faker, taken, domain),
    ...crowdCareerOf(faker, number, calendar),
    isOfStory: false,
  }));
  const adjustments = withDays(DEMO.adjustments, calendar);
  return [...crowd, ...story].map(({ name, goesByOther, isOfStory, ...career }, number) => {
    const email = emailOf(name, domain);
    const own = fakerOf([seed, number]);
    const otherName = own.person.middleName('generic');
    const identity = completeIdentity({
      work_email: email,
      first_name: name[0],
      preferred_name: goesByOther ? otherName : null,
      last_name: name[1],
      staff_id: `E-${1_001 + number}`,
    });
    return {
      key: email,
      identity,
      ...career,
      ...particularsOf(own, { number, identity, career, calendar, isOfStory }),
      adjustments: adjustments.flatMap(({ person, ...one }) => (person === number + 1 ? [one] : [])),
      absences: absencesOf(number, career, calendar),
    };
  });
}

function fakerOf(seed: number | number[]): Faker {
  const faker = new FakerClass({ locale: [en_GB, en, base] });
  faker.seed(seed);
  return faker;
}

type Name = readonly [first: string, last: string];

/** A name that is not used yet, and whether the person has a preferred name. */
function nameOf(faker: Faker, taken: Set<string>, domain: string): { name: Name; goesByOther: boolean } {
  for (;;) {
    const name = [faker.person.firstName(), faker.person.lastName()] as const;
    const email = emailOf(name, domain);
    if (taken.has(email)) continue;
    taken.add(email);
    return { name, goesByOther: faker.number.float() < 0.15 };
  }
}

function emailOf(name: Name, domain: string): string {
  return `${name.join('.')}@${domain}`.toLowerCase().replace(/[^a-z.@-]/g, '');
}

function crowdCareerOf(faker: Faker, number: number, calendar: Calendar): Career {
  const isLeader = number < DEPARTMENTS.length;
  const department = isLeader ? DEPARTMENTS[number]! : faker.helpers.arrayElement(DEPARTMENTS);
  const startDate = startOf(faker, number, calendar);
  const isFullTime = isLeader || faker.number.float() < FULL_TIME_SHARE;
  const ladder = DEMO.ladders[department]!;
  const job = {
    title: isLeader ? ladder.at(-1)! : ladder[0]!,
    department,
    workPlace: faker.helpers.arrayElement(SETTINGS.workPlaces),
    workType: isFullTime ? FULL_TIME : PART_TIME,
    minutes: isFullTime ? FULL_TIME_MINUTES : faker.helpers.arrayElement([900, 1_350, FOUR_DAYS_MINUTES]),
    manager: number === 0 ? null : isLeader ? 1 : DEPARTMENTS.indexOf(department) + 1,
  };
  return {
    job,
    startDate,
    hiredOn: addDays(startDate, number % 3),
    facts: isLeader ? [] : factsOf(faker, number, { ...job, startDate }, calendar),
  };
}

function startOf(faker: Faker, number: number, { today, firstDay }: Calendar): LocalDate {
  if (number < DEPARTMENTS.length) return addDays(firstDay, -1_400 + number * 35);
  return number < AT_FIRST
    ? addDays(firstDay, -faker.number.int({ min: 30, max: 1_200 }))
    : addDays(today, -faker.number.int({ min: LAST_JOINER_DAYS, max: 1_800 }));
}

/** Promotions, fewer hours, an end, a rehire; most are recorded some days late, and some are corrected. */
function factsOf(
  faker: Faker,
  number: number,
  { department, manager, startDate }: Job & { readonly startDate: LocalDate },
  calendar: Calendar,
): readonly SampleFact[] {
  const facts: SampleFact[] = [];
  const quietSince = addDays(calendar.today, -QUIET_DAYS);
  const ladder = DEMO.ladders[department]!;
  const record = (fact: SampleFact, recordedOn: LocalDate): void => void facts.push({ ...fact, recordedOn });
  let on = addDays(startDate, faker.number.int({ min: 240, max: 600 }));
  for (const title of ladder.slice(1, -1)) {
    if (on >= quietSince) break;
    record({ type: 'change', on, title }, addDays(on, number % 10));
    if (number % 8 === 5 && facts.length === 1) {
      const reason = 'The letter of promotion is dated two weeks earlier.';
      record({ type: 'correct', on: addDays(on, -14), title, reason, corrects: 1 }, addDays(on, 40));
    }
    on = addDays(on, faker.number.int({ min: 300, max: 700 }));
  }
  if (number % 5 === 0 && on < quietSince) {
    record({ type: 'change', on, minutes: FOUR_DAYS_MINUTES }, addDays(on, 2));
    on = addDays(on, 200);
  }
  if (number % 4 === 3 && on < quietSince) {
    record({ type: 'end', on }, on);
    const back = addDays(on, 150);
    if (number % 3 === 0 && back < quietSince)
      record(
        { type: 'reactivate', on: back, title: ladder[1]!, department, manager, minutes: FULL_TIME_MINUTES },
        back,
      );
  } else if (number % 9 === 4) {
    const title = `${ladder[1]!} (acting lead)`;
    record({ type: 'change', on: addDays(calendar.today, 30 + number), title }, addDays(calendar.today, -20));
  }
  return facts;
}
