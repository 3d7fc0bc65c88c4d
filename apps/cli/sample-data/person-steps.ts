import type { Command } from '@nestjs/cqrs';
import type { Actor } from '#event-store/event-store.js';
import type { SettingIds } from '#composition/set-up.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { addDays } from '#kernel/dates.js';
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
import { type Calendar, instantOn } from './calendar.js';
import { portrait, SETTINGS } from './data-files.js';
import { type Absence, type Career, FULL_TIME_MINUTES, type SampleFact, type SamplePerson } from './person-data.js';
import type { ContextOf } from './seed-context.js';
import { idOf, patternWith } from './seed-settings.js';
import type { Step } from './steps.js';

/** A person whose life is recorded. */
export interface Life {
  readonly person: SamplePerson;
  /** The place among all people, from 0. */
  readonly number: number;
  /** Of all people, in their order. */
  readonly personIds: readonly string[];
  readonly settings: SettingIds;
  readonly calendar: Calendar;
  /** Who approves and rejects the person's time off; the actor of all else where it is not given. */
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

/** All that is recorded about a person, each at its moment: first the start, and one command a step. */
export function personSteps(life: Life): readonly [Step, ...Step[]] {
  return [hireOf(life), ...factsOf(life), ...particularsOf(life), ...timeOffOf(life)];
}

/** The contexts are the person's own. */
type Make = (contextOf: ContextOf, mint: IdMint) => Command<unknown>;

function step({ key }: SamplePerson, at: string, make: Make): Step {
  return {
    at,
    who: key,
    run: async ({ send, contextOf, mint }) => {
      await send(make((...seed) => contextOf(key, ...seed), mint));
    },
  };
}

function hireOf({ person, personIds, settings }: Life): Step {
  return step(person, person.hiredAt, (contextOf) => {
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
    return new CreateSamplePerson(contextOf(), { identity, startDate, terms });
  });
}

function factsOf({ person, number, personIds, settings }: Life): readonly Step[] {
  const personId = personIds[number]!;
  const { facts, renamed } = person;
  const steps = facts.map((fact, index) =>
    step(person, fact.recordedAt, (contextOf, mint) => {
      const correctedId = (corrects: number): string => {
        const { organisationId, seed } = corrects === 0 ? contextOf() : contextOf('fact', String(corrects - 1));
        return mint.prefixed('employmentFact', organisationId, ...seed, personId);
      };
      const context = contextOf('fact', String(index));
      const terms = termsOf(fact, settings, personIds);
      return new RecordSampleFact(context, personId, requestOf(fact, terms, context.today, correctedId));
    }),
  );
  if (renamed === null) return steps;
  const identity = { last_name: renamed.lastName };
  const rename: Make = (contextOf) => new ChangeSampleIdentity(contextOf('renamed'), personId, identity);
  return [...steps, step(person, renamed.recordedAt, rename)];
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
    case 'correct':
      return {
        type,
        startDate: on,
        terms,
        correctionReason: reason!,
        corrects: corrects === null ? null : correctedId(corrects),
      };
    case 'reactivate':
      return { type, startDate: on, terms: { ...terms, full_time_weekly_minutes: FULL_TIME_MINUTES } };
  }
}

/** The terms that are named, of those that facts change. */
function termsOf(
  { title, department, minutes, manager }: Partial<Pick<SampleFact, 'title' | 'department' | 'minutes' | 'manager'>>,
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

/** Profile, picture, custom values, documents, mappings and adjustments. */
function particularsOf({ person, number, personIds, settings, calendar }: Life): readonly Step[] {
  const { profile, picture, values, documents, mappings, markers, adjustments, hiredAt } = person;
  const personId = personIds[number]!;
  const hiredOn = hiredAt.slice(0, 10);
  const at = (day: string, minute: number, make: Make): Step =>
    step(person, instantOn(calendar, day < hiredOn ? hiredOn : day, minute), make);
  const steps: Step[] = [];
  if (profile !== null)
    steps.push(at(hiredOn, 450, (contextOf) => new ChangePersonalProfile(contextOf('profile'), personId, profile)));
  if (picture !== null)
    steps.push(at(hiredOn, 450, (contextOf) => new SetAvatar(contextOf('picture'), personId, portrait(picture))));
  const named = Object.entries(values).map(([key, value]) => ({ field_id: idOf(settings.customFields, key), value }));
  if (named.length > 0)
    steps.push(at(hiredOn, 450, (contextOf) => new SetPersonCustomFields(contextOf('custom fields'), personId, named)));
  for (const { type, name, byteSize, issuedOn, expiresOn } of documents) {
    const metadata = {
      name,
      document_type_id: idOf(settings.documentTypes, type),
      content_type: 'application/pdf',
      byte_size: byteSize,
      issued_on: issuedOn,
      expires_on: expiresOn,
    };
    steps.push(at(issuedOn, 455, (contextOf) => new RecordDocument(contextOf('document', type), personId, metadata)));
  }
  for (const { provider, ...terms } of mappings) {
    const mapping = { provider_name: provider, resource_type: 'person', resource_id: personId, ...terms } as const;
    steps.push(
      at(calendar.today, 460, (contextOf) => new CreateProviderMapping(contextOf('mapping', provider), mapping)),
    );
  }
  for (const marker of markers) {
    const fact = { marker, state: 'present', effective_date: person.startDate! } as const;
    steps.push(at(hiredOn, 462, (contextOf) => new MarkPayroll(contextOf('marker', marker), personId, fact)));
  }
  for (const { minutes, on, reason, isReversed } of adjustments) {
    const adjust = (contextOf: ContextOf, name: string, amount: number, reverses: string | null): AdjustBalance =>
      new AdjustBalance(contextOf(name), personId, {
        category_id: idOf(settings.categories, SETTINGS.overdraft.category),
        effective_date: on,
        reason_code: reason,
        amount_minutes: amount,
        reverses,
      });
    steps.push(at(on, 465, (contextOf) => adjust(contextOf, 'adjustment', minutes, null)));
    if (isReversed !== true) continue;
    steps.push(
      at(on, 465, (contextOf, mint) => {
        const { organisationId, seed } = contextOf('adjustment');
        const reverses = mint.prefixed('balanceAdjustment', organisationId, ...seed);
        return adjust(contextOf, 'reversal', -minutes, reverses);
      }),
    );
  }
  return steps;
}

function timeOffOf({ person, number, personIds, settings, calendar, approver }: Life): readonly Step[] {
  return person.absences.flatMap((absence, index) => {
    const name = String(index);
    const [requestedAt, ...taken] = instantsOf(absence, person, calendar, number) as [string, ...string[]];
    const requested = {
      ...absence.dates,
      person_id: personIds[number]!,
      category_id: idOf(settings.categories, absence.category),
    };
    return [
      step(person, requestedAt, (contextOf) => new CreateTimeOff(contextOf('time off', name), requested)),
      ...absence.steps.map((taking, place) =>
        step(person, taken[place]!, (contextOf, mint) => {
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
 * When the record was requested, and when each of its steps was taken: ISO 8601 in UTC. Time off is requested
 * weeks before it begins, and what needs no approval, such as illness, is recorded on the day after; never
 * before the employment that it belongs to was recorded.
 */
function instantsOf(
  { category, dates, steps }: Absence,
  { hiredAt, facts }: Career,
  calendar: Calendar,
  number: number,
): readonly string[] {
  const { start_date: start } = dates;
  const isPlanned = SETTINGS.categories.find(({ label }) => label === category)?.requires_approval !== false;
  const requested = isPlanned ? addDays(start, -REQUESTED_DAYS_BEFORE - (number % 9)) : addDays(start, 1);
  const employedSince = facts
    .filter(({ type, on }) => type === 'reactivate' && on <= start)
    .map(({ recordedAt }) => recordedAt);
  const recordedOn = [hiredAt, ...employedSince]
    .map((instant) => instant.slice(0, 10))
    .sort()
    .at(-1)!;
  const requestedOn = [
    requested,
    addDays(recordedOn, 1),
    ...(isPlanned && steps.length === 0 ? [addDays(calendar.today, -1 - (number % 9))] : []),
  ]
    .sort()
    .at(-1)!;
  return [0, ...steps.map((_, index) => 2 + index * 3)].map((days, index) =>
    instantOn(calendar, addDays(requestedOn, days), 420 + index * 10),
  );
}
