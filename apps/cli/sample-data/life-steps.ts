import type { IdMint } from '#identifiers/id-mint.js';
import { nameKey } from '#kernel/names.js';
import type { EmploymentRequest } from '#people/record/people-writer.js';
import { ChangeSampleIdentity, CreateSamplePerson, RecordSampleFact } from '#people/record/sample-people.js';
import { generateAbsences, instantsFrom } from './absences.js';
import { generateAdjustments } from './adjustments.js';
import { type Calendar, instantOn } from './calendar.js';
import { managerOf } from './demo-people.js';
import { type DemoFact, type DemoPerson, FULL_TIME_MINUTES } from './demo-person.js';
import { generateParticulars } from './particulars.js';
import type { ContextOf } from './seed-context.js';
import {
  addDocument,
  adjust,
  mapPerson,
  requestAbsence,
  seedProfile,
  type SeedServices,
  stepAbsence,
} from './seed-particulars.js';
import type { Settings } from './seed-settings.js';
import type { StepContext, Step } from './steps.js';
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
    { at: hiredAt, run: (stepContext) => hire(life, stepContext) },
    ...facts.map((fact, index): OwnStep => ({
      at: fact.recordedAt,
      run: (stepContext) => recordFact(life, stepContext, fact, index),
    })),
    ...(renamed === null
      ? []
      : [{ at: renamed.recordedAt, run: (stepContext: StepContext) => rename(life, stepContext, renamed.lastName) }]),
  ];
}

async function hire({ demoPerson, number, personIds, settings }: Life, stepContext: StepContext): Promise<void> {
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
  const requested = { identity, startDate: demoPerson.startDate, terms };
  await stepContext.send(new CreateSamplePerson(stepContext.contextOf(demoPerson.email), requested));
}

async function recordFact(life: Life, stepContext: StepContext, fact: DemoFact, index: number): Promise<void> {
  const context = stepContext.contextOf(life.demoPerson.email, String(index));
  const personId = life.personIds[life.number]!;
  await stepContext.send(new RecordSampleFact(context, personId, requestOf(life, stepContext, fact)));
}

function requestOf(life: Life, { mint, contextOf }: StepContext, fact: DemoFact): EmploymentRequest {
  const { settings, personIds, number, demoPerson } = life;
  switch (fact.type) {
    case 'end':
      return { type: 'end', endDate: fact.date };
    case 'change':
      return { type: 'change', startDate: fact.date, terms: changedTerms(settings, fact), today: contextOf().today };
    case 'correct': {
      const { organisationId, seed } = contextOf(demoPerson.email, String(fact.corrects));
      const corrects =
        fact.corrects === null ? null : mint.prefixed('employmentFact', organisationId, ...seed, personIds[number]!);
      return {
        type: 'correct',
        startDate: fact.date,
        terms: changedTerms(settings, fact),
        correctionReason: fact.reason,
        corrects,
      };
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

async function rename(
  { demoPerson, number, personIds }: Life,
  stepContext: StepContext,
  lastName: string,
): Promise<void> {
  const context = stepContext.contextOf(demoPerson.email, 'renamed');
  await stepContext.send(new ChangeSampleIdentity(context, personIds[number]!, { last_name: lastName }));
}

/** Profile, picture, custom values, documents, mappings and adjustments. */
function recordSteps({ demoPerson, number, personIds, settings, calendar, seed }: Life): readonly OwnStep[] {
  const { today } = calendar;
  const personId = personIds[number]!;
  const particulars = generateParticulars({ seed, number, demoPerson, today });
  const hiredOn = demoPerson.hiredAt.slice(0, 10);
  const at = (day: string, minute: number): string => instantOn(calendar, day < hiredOn ? hiredOn : day, minute);
  const own = seedServicesOf(settings, demoPerson);
  return [
    { at: at(hiredOn, 450), run: (stepContext) => seedProfile(own(stepContext), { personId, number, particulars }) },
    ...particulars.documents.map((document): OwnStep => ({
      at: at(document.issuedOn, 455),
      run: (stepContext) => addDocument(own(stepContext), personId, document),
    })),
    ...particulars.mappings.map((mapping): OwnStep => ({
      at: at(today, 460),
      run: (stepContext) => mapPerson(own(stepContext), personId, mapping),
    })),
    ...generateAdjustments(number, today).map((adjustment): OwnStep => ({
      at: at(adjustment.on, 465),
      run: (stepContext) => adjust(own(stepContext), personId, adjustment),
    })),
  ];
}

function absenceSteps({ demoPerson, number, personIds, settings, calendar }: Life): readonly OwnStep[] {
  const own = seedServicesOf(settings, demoPerson);
  return generateAbsences({ number, demoPerson, today: calendar.today }).flatMap((absence, index) => {
    const record = { personId: personIds[number]!, absence, name: String(index) };
    const [requested, ...taken] = instantsFrom(absence, demoPerson, calendar, number) as [string, ...string[]];
    return [
      { at: requested, run: (stepContext: StepContext) => requestAbsence(own(stepContext), record) },
      ...absence.steps.map((step, place) => ({
        at: taken[place]!,
        run: (stepContext: StepContext) => stepAbsence(own(stepContext), record, step),
      })),
    ];
  });
}

/** The services of a person's own records. */
function seedServicesOf(settings: Settings, { email }: DemoPerson): (stepContext: StepContext) => SeedServices {
  return (stepContext) => ({ ...stepContext, settings, contextOf: (...seed) => stepContext.contextOf(email, ...seed) });
}
