import type { IdMint } from '#identifiers/id-mint.js';
import { nameKey } from '#kernel/names.js';
import type { EmploymentRequest } from '#people/record/people-writer.js';
import { ChangeSampleIdentity, CreateSamplePerson, RecordSampleFact } from '#people/record/sample-people.js';
import { generateAbsences, momentsOf } from './absences.js';
import { generateAdjustments } from './adjustments.js';
import { type Calendar, momentOn } from './calendar.js';
import { managerOf } from './demo-people.js';
import { type DemoFact, type DemoPerson, FULL_TIME_MINUTES } from './demo-person.js';
import { generateParticulars } from './particulars.js';
import type { ContextOf } from './seed-context.js';
import { addDocument, adjust, mapPerson, requestAbsence, seedProfile, type SeedServices, stepAbsence } from './seed-particulars.js';
import type { Settings } from './seed-settings.js';
import type { Bench, Step } from './steps.js';
import { changedTerms, hoursOf } from './terms.js';

/** A person whose life is recorded. */
export interface Life {
  readonly demoPerson: DemoPerson;
  readonly number: number;
  /** Of all people, by their numbers. */
  readonly personIds: readonly string[];
  readonly settings: Settings;
  readonly calendar: Calendar;
  /** Of the made-up data. */
  readonly seed: number;
}

/** The ids that the people will have. */
export function personIdsOf(mint: IdMint, contextOf: ContextOf, people: readonly DemoPerson[]): readonly string[] {
  return people.map(({ email }) => {
    const { organisationId, seed } = contextOf(email);
    return mint.newPerson(organisationId, seed);
  });
}

/** All that is recorded about a person, each at its moment. */
export function lifeSteps(life: Life): readonly Step[] {
  const who = life.demoPerson.email;
  return [...employmentSteps(life), ...recordSteps(life), ...absenceSteps(life)].map((step) => ({ ...step, who }));
}

type OwnStep = Omit<Step, 'who'>;

function employmentSteps(life: Life): readonly OwnStep[] {
  const { demoPerson } = life;
  const { hiredAt, facts, renamed } = demoPerson;
  return [
    { at: hiredAt, run: (bench) => hire(life, bench) },
    ...facts.map((fact, index): OwnStep => ({ at: fact.recordedAt, run: (bench) => recordFact(life, bench, fact, index) })),
    ...(renamed === null ? [] : [{ at: renamed.recordedAt, run: (bench: Bench) => rename(life, bench, renamed.lastName) }]),
  ];
}

async function hire({ demoPerson, number, personIds, settings }: Life, bench: Bench): Promise<void> {
  const manager = managerOf(number, demoPerson);
  const identity = {
    work_email: demoPerson.email,
    first_name: demoPerson.firstName,
    preferred_name: demoPerson.preferredName,
    last_name: demoPerson.lastName,
    staff_id: demoPerson.staffId,
  };
  const terms = {
    job_title: demoPerson.title,
    department_id: settings.departments.get(nameKey(demoPerson.department))!,
    manager_id: manager === null ? null : personIds[manager]!,
    work_place_id: settings.workPlaces.get(nameKey(demoPerson.workPlace))!,
    work_type_id: settings.workTypes.get(nameKey(demoPerson.workType))!,
    ...hoursOf(settings, demoPerson.minutes),
    full_time_weekly_minutes: FULL_TIME_MINUTES,
  };
  const wanted = { identity, startDate: demoPerson.startDate, terms };
  await bench.send(new CreateSamplePerson(bench.contextOf(demoPerson.email), wanted));
}

async function recordFact(life: Life, bench: Bench, fact: DemoFact, index: number): Promise<void> {
  const context = bench.contextOf(life.demoPerson.email, String(index));
  const personId = life.personIds[life.number]!;
  await bench.send(new RecordSampleFact(context, personId, requestOf(life, bench, fact)));
}

function requestOf(life: Life, { mint, contextOf }: Bench, fact: DemoFact): EmploymentRequest {
  const { settings, personIds, number, demoPerson } = life;
  switch (fact.type) {
    case 'end':
      return { type: 'end', endDate: fact.date };
    case 'change':
      return { type: 'change', startDate: fact.date, terms: changedTerms(settings, fact), today: contextOf().today };
    case 'correct': {
      const { organisationId, seed } = contextOf(demoPerson.email, String(fact.corrects));
      const corrects = fact.corrects === null ? null : mint.prefixed('employmentFact', organisationId, ...seed, personIds[number]!);
      return { type: 'correct', startDate: fact.date, terms: changedTerms(settings, fact), correctionReason: fact.reason, corrects };
    }
    case 'reactivate': {
      const manager = managerOf(number, { department: fact.department, isLeader: false });
      const terms = {
        job_title: fact.title,
        department_id: settings.departments.get(nameKey(fact.department))!,
        manager_id: manager === null ? null : personIds[manager]!,
        ...hoursOf(settings, FULL_TIME_MINUTES),
        full_time_weekly_minutes: FULL_TIME_MINUTES,
      };
      return { type: 'reactivate', startDate: fact.date, terms };
    }
  }
}

async function rename({ demoPerson, number, personIds }: Life, bench: Bench, lastName: string): Promise<void> {
  const context = bench.contextOf(demoPerson.email, 'renamed');
  await bench.send(new ChangeSampleIdentity(context, personIds[number]!, { last_name: lastName }));
}

/** Profile, picture, custom values, documents, mappings and adjustments. */
function recordSteps({ demoPerson, number, personIds, settings, calendar, seed }: Life): readonly OwnStep[] {
  const { today } = calendar;
  const personId = personIds[number]!;
  const particulars = generateParticulars({ seed, number, demoPerson, today });
  const hiredOn = demoPerson.hiredAt.slice(0, 10);
  const at = (day: string, minute: number): string => momentOn(calendar, day < hiredOn ? hiredOn : day, minute);
  const own = seedServicesOf(settings, demoPerson);
  return [
    { at: at(hiredOn, 450), run: (bench) => seedProfile(own(bench), { personId, number, particulars }) },
    ...particulars.documents.map((document): OwnStep => ({
      at: at(document.issuedOn, 455),
      run: (bench) => addDocument(own(bench), personId, document),
    })),
    ...particulars.mappings.map((mapping): OwnStep => ({ at: at(today, 460), run: (bench) => mapPerson(own(bench), personId, mapping) })),
    ...generateAdjustments(number, today).map((adjustment): OwnStep => ({
      at: at(adjustment.on, 465),
      run: (bench) => adjust(own(bench), personId, adjustment),
    })),
  ];
}

function absenceSteps({ demoPerson, number, personIds, settings, calendar }: Life): readonly OwnStep[] {
  const own = seedServicesOf(settings, demoPerson);
  return generateAbsences({ number, demoPerson, today: calendar.today }).flatMap((absence, index) => {
    const record = { personId: personIds[number]!, absence, name: String(index) };
    const [requested, ...taken] = momentsOf(absence, demoPerson, calendar, number) as [string, ...string[]];
    return [
      { at: requested, run: (bench: Bench) => requestAbsence(own(bench), record) },
      ...absence.steps.map((step, place) => ({ at: taken[place]!, run: (bench: Bench) => stepAbsence(own(bench), record, step) })),
    ];
  });
}

/** The services of a person's own records. */
function seedServicesOf(settings: Settings, { email }: DemoPerson): (bench: Bench) => SeedServices {
  return (bench) => ({ ...bench, settings, contextOf: (...seed) => bench.contextOf(email, ...seed) });
}
