import type { Command } from '@nestjs/cqrs';
import type { Actor } from '#event-store/event-store.js';
import type { SettingIds } from '#composition/set-up.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { addDays, type LocalDate } from '#kernel/dates.js';
import { SetPersonCustomFields } from '#people/custom-field-value/custom-field-value.api.js';
import { RecordDocument } from '#people/document/document.api.js';
import { SetAvatar } from '#people/picture/avatar.api.js';
import { ChangePersonalProfile } from '#people/profile/personal-profile.api.js';
import type { EmploymentRequest } from '#people/record/people-writer.js';
import { ChangeSampleIdentity, CreateSamplePerson, RecordSampleFact } from '#people/record/sample-people.js';
import { MarkPayroll } from '#payroll/marker/payroll-marker.api.js';
import { CreateProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import { AdjustBalance } from '#time-off/balances/adjust-balance.js';
import { CreateTimeOff, StepTimeOff } from '#time-off/requests/request-time-off.js';
import type { Absence } from './person-data.js';
import { type Calendar, instantOn } from './calendar.js';
import { portrait, SETTINGS } from './data-files.js';
import { type Career, FULL_TIME_MINUTES, type SampleFact, type SamplePerson } from './person-data.js';
import type { ContextOf } from './seeding.js';
import { idOf, patternWith } from './seed-settings.js';
import type { Step } from './steps.js';

/** A person whose records are created. */
export interface Life {
  readonly person: SamplePerson;
  /** The position among all people, from 0. */
  readonly number: number;
  /** The ids of all people, in their order. */
  readonly personIds: readonly string[];
  readonly settings: SettingIds;
  readonly calendar: Calendar;
  /** The actor who approves and rejects the person's time off; by default the actor of all other steps. */
  readonly approver?: Actor;
}

/** The ids that people will have. */
export function personIdsOf(
  mint: IdMint,
  contextOf: ContextOf,
  people: readonly Pick<SamplePerson, 'key'>[],
): readonly string[] {
  return people.map(({ key }) => {
    const { organisationId, seed } = contextOf(key);
    return mint.newPerson(organisationId, seed);
  });
}

/** All records of a person, each at its time: the start first, and one command per step. */
export function personSteps(life: Life): readonly [Step, ...Step[]] {
  return [hireOf(life), ...factsOf(life), ...particularsOf(life), ...timeOffOf(life)];
}

/** Creates a command in contexts of the person's own. */
type Make = (contextOf: ContextOf, mint: IdMint) => Command<unknown>;

/** @param minute - the minute of the working day at which it is recorded */
function step({ person: { key }, calendar }: Life, day: LocalDate, minute: number, make: Make): Step {
  return {
    at: instantOn(calendar, day, minute),
    who: key,
    run: async ({ send, contextOf, mint }) => {
      await send(make((...seed) => contextOf(key, ...seed), mint));
    },
  };
}

/** The day on which a person is recorded. */
function hiredOn({ hiredOn: named, startDate }: Career, { firstDay }: Calendar): LocalDate {
  return named ?? startDate ?? firstDay;
}

function hireOf(life: Life): Step {
  const { person, number, personIds, settings, calendar } = life;
  const { identity, startDate, job } = person;
  const terms =
    job === null
      ? {}
      : {
          ...termsOf(job, settings, personIds),
          work_place_id: idOf(settings.workPlaces, job.workPlace),
          work_type_id: idOf(settings.workTypes, job.workType),
          full_time_weekly_minutes: FULL_TIME_MINUTES,
        };
  const hire: Make = (contextOf) => new CreateSamplePerson(contextOf(), { identity, startDate, terms });
  return { ...step(life, hiredOn(person, calendar), number, hire), effectiveOn: startDate };
}

function factsOf(life: Life): readonly Step[] {
  const { person, number, personIds, settings } = life;
  const { facts = [], renamed } = person;
  const personId = personIds[number]!;
  const steps = facts.map((fact, index) => ({
    ...step(life, fact.recordedOn ?? fact.on, number + index, (contextOf, mint) => {
      const correctedId = (corrects: number): string => {
        const { organisationId, seed } = corrects === 0 ? contextOf() : contextOf('fact', String(corrects - 1));
        return mint.prefixed('employmentFact', organisationId, ...seed, personId);
      };
      const context = contextOf('fact', String(index));
      const terms = termsOf(fact, settings, personIds);
      return new RecordSampleFact(context, personId, requestOf(fact, terms, context.today, correctedId));
    }),
    effectiveOn: fact.type === 'end' ? addDays(fact.on, 1) : fact.on,
  }));
  if (renamed === undefined) return steps;
  const identity = { last_name: renamed.lastName };
  const rename: Make = (contextOf) => new ChangeSampleIdentity(contextOf('renamed'), personId, identity);
  return [...steps, step(life, renamed.recordedOn, number + steps.length, rename)];
}

function requestOf(
  { type, on, reason, corrects = null }: SampleFact,
  terms: ReturnType<typeof termsOf>,
  today: string,
  correctedId: (corrects: number) => string,
): EmploymentRequest {
  switch (type) {
    case 'end':
      return { type, endDate: on };
    case 'change':
      return { type, startDate: on, terms, today };
    case 'correct': {
      const corrected = corrects === null ? null : correctedId(corrects);
      return { type, startDate: on, terms, correctionReason: reason!, corrects: corrected };
    }
    case 'reactivate':
      return { type, startDate: on, terms: { ...terms, full_time_weekly_minutes: FULL_TIME_MINUTES } };
  }
}

/** The given terms, among those that facts change. */
function termsOf(
  { title, department, minutes, manager }: Pick<SampleFact, 'title' | 'department' | 'minutes' | 'manager'>,
  { departments, workingPatterns }: SettingIds,
  personIds: readonly string[],
): Extract<EmploymentRequest, { type: 'start' }>['terms'] {
  return {
    ...(title === undefined ? {} : { job_title: title }),
    ...(department === undefined ? {} : { department_id: idOf(departments, department) }),
    ...(manager === undefined ? {} : { manager_id: manager === null ? null : personIds[manager - 1]! }),
    ...(minutes === undefined
      ? {}
      : {
          working_pattern_id: idOf(workingPatterns, patternWith(minutes).label),
          contracted_weekly_minutes: minutes,
        }),
  };
}

/**
 * Profile, picture, custom values, documents, mappings and adjustments; none before the person is recorded.
 */
function particularsOf(life: Life): readonly Step[] {
  const { person, number, personIds, settings, calendar } = life;
  const { profile, picture, values = {}, documents = [], mappings = [], markers = [], adjustments = [] } = person;
  const personId = personIds[number]!;
  const first = hiredOn(person, calendar);
  const steps: Step[] = [];
  const take = (day: LocalDate, minute: number, make: Make): void =>
    void steps.push(step(life, day < first ? first : day, minute, make));
  if (profile) take(first, 450, (contextOf) => new ChangePersonalProfile(contextOf('profile'), personId, profile));
  if (picture !== undefined)
    take(first, 450, (contextOf) => new SetAvatar(contextOf('picture'), personId, portrait(picture)));
  const named = Object.entries(values).map(([key, value]) => ({ field_id: idOf(settings.customFields, key), value }));
  if (named.length > 0)
    take(first, 450, (contextOf) => new SetPersonCustomFields(contextOf('custom fields'), personId, named));
  for (const { type, ...document } of documents) {
    const document_type_id = idOf(settings.documentTypes, type);
    const metadata = { ...document, document_type_id, content_type: 'application/pdf' };
    take(document.issued_on!, 455, (contextOf) => new RecordDocument(contextOf('document', type), personId, metadata));
  }
  for (const mapping of mappings) {
    const mapped = { ...mapping, resource_type: 'person', resource_id: personId } as const;
    take(
      calendar.today,
      460,
      (contextOf) => new CreateProviderMapping(contextOf('mapping', mapping.provider_name), mapped),
    );
  }
  for (const marker of markers) {
    const fact = { marker, state: 'present', effective_date: person.startDate! } as const;
    take(first, 462, (contextOf) => new MarkPayroll(contextOf('marker', marker), personId, fact));
  }
  const category_id = idOf(settings.categories, SETTINGS.overdraft.category);
  for (const { isReversed, ...adjustment } of adjustments) {
    const { effective_date: on, amount_minutes: minutes } = adjustment;
    const added = { ...adjustment, category_id, reverses: null };
    take(on, 465, (contextOf) => new AdjustBalance(contextOf('adjustment'), personId, added));
    if (isReversed !== true) continue;
    take(on, 465, (contextOf, mint) => {
      const { organisationId, seed } = contextOf('adjustment');
      const reverses = mint.prefixed('balanceAdjustment', organisationId, ...seed);
      return new AdjustBalance(contextOf('reversal'), personId, { ...added, amount_minutes: -minutes, reverses });
    });
  }
  return steps;
}

function timeOffOf(life: Life): readonly Step[] {
  const { person, number, personIds, settings, approver } = life;
  return person.absences.flatMap((absence, index) => {
    const name = String(index);
    const requestedOn = requestedDayOf(absence, life);
    const requested = {
      ...absence.dates,
      person_id: personIds[number]!,
      category_id: idOf(settings.categories, absence.category),
    };
    return [
      step(life, requestedOn, 420, (contextOf) => new CreateTimeOff(contextOf('time off', name), requested)),
      ...absence.steps.map((taking, place) =>
        step(life, addDays(requestedOn, 2 + place * 3), 430 + place * 10, (contextOf, mint) => {
          const { organisationId, seed } = contextOf('time off', name);
          const id = mint.prefixed('timeOff', organisationId, ...seed);
          const context = contextOf('time off', name, taking);
          const actor = taking === 'cancel' ? context.actor : (approver ?? context.actor);
          return new StepTimeOff({ ...context, actor }, id, taking, null);
        }),
      ),
    ];
  });
}

const REQUESTED_DAYS_BEFORE = 21;

/**
 * The day on which time off is recorded. It is requested weeks before it begins; without approval, such as
 * illness, it is recorded on the day after. It is never recorded before its employment, and pending requests
 * are recent.
 */
function requestedDayOf({ category, dates, steps }: Absence, { person, calendar, number }: Life): LocalDate {
  const { start_date: start } = dates;
  const isPlanned = SETTINGS.categories.find(({ label }) => label === category)?.requires_approval !== false;
  const employments = (person.facts ?? []).filter(({ type, on }) => type === 'reactivate' && on <= start);
  return [
    isPlanned ? addDays(start, -REQUESTED_DAYS_BEFORE - (number % 9)) : addDays(start, 1),
    addDays(hiredOn(person, calendar), 1),
    ...employments.map(({ on, recordedOn = on }) => addDays(recordedOn, 1)),
    ...(isPlanned && steps.length === 0 ? [addDays(calendar.today, -1 - (number % 9))] : []),
  ]
    .sort()
    .at(-1)!;
}
