import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { assertMatches, type CommandResult } from '#commands/handle-command.js';
import { IdempotencyMismatchError } from '#commands/idempotency-errors.js';
import { lockReferences, lockStreams } from '#commands/locks/references.js';
import { ResourceServices } from '#commands/resource-services.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { type Decision, reject } from '#kernel/aggregate.js';
import { conflict, notFound, RejectedError, type Rejection } from '#kernel/rejection.js';
import { employmentAggregate } from '#people/employment/employment.js';
import { EventSubjects } from '#people/person/event-subjects.js';
import { refuseErased, requireNotErased, requirePersonKey } from '#people/person/person-keys.js';
import { sealJson, withSealedFingerprint } from '#people/person/person-seal.js';
import {
  timeOffCategoryAggregate,
  type TimeOffCategoryRow,
  timeOffCategoryTable,
} from '../category/time-off-category.js';
import { missingRejection } from '../records/missing-references.js';
import { findTimeOff, type TimeOffRow, timeOffTag } from '../records/read-time-off.js';
import {
  changeRejection,
  decideTimeOff,
  type Entry,
  isSame,
  type TimeOffCalendar,
  type TimeOffCommand,
  type TimeOffEvent,
} from '../records/time-off.js';
import { changedDates, type Dates, datesRejection, type NamedDates, completeDates } from '../records/time-off.rules.js';
import { readDecisionContext } from './decision-context.js';
import { readEmploymentDays } from './employment-days.js';
import { countEntry, entryOf, recordTimeOff } from './record-time-off.js';

/** The fields of a new record. */
export interface NewTimeOff extends NamedDates {
  readonly person_id: string;
  readonly category_id: string;
}

/** The fields of a change; absent fields stay unchanged. */
export type TimeOffChanges = Partial<NamedDates> & { readonly category_id?: string | undefined };

/** The steps that change the status of a record. A withdrawal cancels a request that is still pending. */
export type TimeOffStep = 'approve' | 'reject' | 'cancel' | 'withdraw';

/** The record of a step, with the names for its response and its entity tag. */
export type SteppedRecord = Pick<TimeOffRow, 'id' | 'person_id' | 'display_name' | 'category_id' | 'category_label'>;

/**
 * Records a request: pending, or approved if its category needs no approval. Throws {@link RejectedError},
 * and {@link IdempotencyMismatchError} if the context's key recorded time off of another person.
 */
export function requestTimeOff(
  services: CommandServices,
  context: CommandContext,
  requested: NewTimeOff,
): Promise<TimeOffRow> {
  const { organisationId, today } = context;
  const { person_id: personId, category_id: categoryId } = requested;
  const dates = completeDates(requested);
  refuse(datesRejection(dates, today));
  const timeOffId = services.mint.prefixed('timeOff', organisationId, ...context.seed);
  return commit(services, context, async (within) => {
    await lockReferences(services, within, [timeOffCategoryAggregate.streamOf(organisationId, categoryId)]);
    await holdEmployment(services, within, personId);
    const read = await readDecisionContext(services.executor, organisationId, {
      timeOffId,
      personId,
      categoryId,
      dates,
    });
    const { person, category, settings, seen, recordedFor } = read;
    if (person === null || category === null)
      throw new RejectedError(missingRejection({ person: person === null, category: category === null }));
    refuseErased({ work_email: person.workEmail });
    if (recordedFor !== null && recordedFor !== personId) throw new IdempotencyMismatchError();
    const decide = (calendar: TimeOffCalendar): Decision<TimeOffEvent> => {
      const rejection = archivedRejection(category) ?? person.employment.rejection(dates);
      if (rejection !== null) return reject(rejection);
      const entry = entryOf(dates, { category, employment: person.employment }, settings);
      return decideTimeOff({ type: 'request', timeOffId, entry }, calendar);
    };
    const result = await recordTimeOff(
      services,
      within,
      { personId, usesUp: { timeOffId, category }, settings, seen },
      decide,
    );
    return () => asRow(result, timeOffId, { personId, personName: person.displayName, categories: [category] });
  });
}

/** Prevents changes of a person's employment while time off is decided on it. */
function holdEmployment(services: CommandServices, context: UnitContext, personId: string): Promise<void> {
  return lockStreams(services, context, [employmentAggregate.streamOf(context.organisationId, personId)]);
}

/**
 * Changes a record's dates or category, and counts it again. The record becomes pending again unless its
 * category needs no approval. `ifMatch`: the entity tags that the caller expects. Throws {@link
 * RejectedError}, and 412 if the record has another tag.
 */
export function changeTimeOff(
  services: CommandServices,
  context: CommandContext,
  timeOffId: string,
  changes: TimeOffChanges,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffRow> {
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    const row = await existingTimeOff(services, organisationId, timeOffId);
    const { person_id: personId } = row;
    const named =
      changes.category_id === undefined ? [] : [timeOffCategoryAggregate.streamOf(organisationId, changes.category_id)];
    await lockReferences(services, within, named);
    await holdEmployment(services, within, personId);
    const requested = await timeOffCategoryTable.find(
      services.executor,
      organisationId,
      changes.category_id ?? row.category_id,
    );
    if (requested === null) throw new RejectedError(missingRejection({ person: false, category: true }));
    const result = await recordTimeOff(
      services,
      within,
      { personId, usesUp: { timeOffId, category: requested } },
      async (calendar) => {
        const record = calendar.records.get(timeOffId);
        if (record !== undefined) assertMatches(ifMatch, timeOffTag({ ...row, revision: record.revision }));
        const rejection = changeRejection(record);
        if (rejection !== null) return reject(rejection);
        const dates = changedDates(record!, changes);
        if (isSame(record!, { ...dates, category_id: requested.id })) return { events: [] };
        const counted = await countChanged(services, within, personId, dates, requested, record!);
        return 'rejection' in counted
          ? reject(counted.rejection)
          : decideTimeOff({ type: 'change', timeOffId, entry: counted }, calendar);
      },
    );
    const categories = [requested, { id: row.category_id, label: row.category_label }];
    return () => asRow(result, timeOffId, { personId, personName: row.display_name, categories });
  });
}

/**
 * Approves, rejects or cancels a record; `ifMatch` as with {@link changeTimeOff}. Throws
 * {@link RejectedError}.
 */
export function stepTimeOff(
  services: CommandServices,
  context: CommandContext,
  timeOffId: string,
  step: TimeOffStep,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffRow> {
  return commit(services, context, async (within) => {
    const row = await existingTimeOff(services, context.organisationId, timeOffId);
    const result = await recordStep(services, within, row, { type: step, timeOffId }, ifMatch);
    return () => asRecord(row, result);
  });
}

/** The same for a record that was just read or recorded. */
export function stepOf(
  services: CommandServices,
  context: CommandContext,
  row: SteppedRecord,
  step: TimeOffStep,
): Promise<TimeOffRow> {
  return commit(services, context, async (within) => {
    const result = await recordStep(services, within, row, { type: step, timeOffId: row.id }, null);
    return () => asRecord(row, result);
  });
}

/** A requested decision about a record. */
export interface DecisionInput {
  readonly step: 'approve' | 'reject';
  /** Stored encrypted with the person's key; null for none. */
  readonly note: string | null;
}

/** A recorded decision: the record right after it, its event, and the people in it. */
export interface RecordedDecision {
  readonly row: TimeOffRow;
  readonly event: RecordedEvent;
  readonly subjects: EventSubjects;
}

/**
 * Approves or rejects a record, with a note; `ifMatch` as with {@link changeTimeOff}. Throws
 * {@link RejectedError}.
 */
export function decideAbout(
  services: CommandServices,
  context: CommandContext,
  timeOffId: string,
  { step, note }: DecisionInput,
  ifMatch: readonly string[] | null,
): Promise<RecordedDecision> {
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    const row = await existingTimeOff(services, organisationId, timeOffId);
    const key = note === null ? null : await requirePersonKey(services.executor, organisationId, row.person_id);
    const sealed = key === null ? within : withSealedFingerprint(within, key);
    const sealedNote = key === null ? undefined : sealJson(note, key);
    const result = await recordStep(services, sealed, row, { type: step, timeOffId, sealedNote }, ifMatch);
    return async ({ executor }) => {
      const event = result.events.findLast(
        ({ data, type }) => data['time_off_id'] === timeOffId && type === EVENT_OF_STEP[step],
      )!;
      const subjects = new EventSubjects(executor, organisationId);
      await subjects.readNames([event]);
      return { row: asRecord(row, result), event, subjects };
    };
  });
}

const EVENT_OF_STEP = { approve: 'TimeOffApproved', reject: 'TimeOffRejected' } as const;

/** A command that decides about a record or ends it. */
type StepCommand = Extract<TimeOffCommand, { type: TimeOffStep }>;

async function recordStep(
  services: CommandServices,
  context: UnitContext,
  row: SteppedRecord,
  command: StepCommand,
  ifMatch: readonly string[] | null,
): Promise<CommandResult<TimeOffCalendar>> {
  const { person_id: personId } = row;
  // Only an approval uses up the category's limit; the other steps release minutes.
  const category =
    command.type === 'approve'
      ? await timeOffCategoryTable.find(services.executor, context.organisationId, row.category_id)
      : null;
  const usesUp = category === null ? null : { timeOffId: row.id, category };
  return recordTimeOff(services, context, { personId, usesUp }, (calendar) => {
    const record = calendar.records.get(row.id);
    if (record !== undefined) assertMatches(ifMatch, timeOffTag({ ...row, revision: record.revision }));
    return decideTimeOff(command, calendar);
  });
}

function asRecord(row: SteppedRecord, result: CommandResult<TimeOffCalendar>): TimeOffRow {
  const categories = [{ id: row.category_id, label: row.category_label }];
  return asRow(result, row.id, { personId: row.person_id, personName: row.display_name, categories });
}

async function countChanged(
  services: CommandServices,
  { organisationId, today }: CommandContext,
  personId: string,
  dates: Dates,
  category: TimeOffCategoryRow,
  before: Pick<Entry, 'category_id'>,
): Promise<Entry | { readonly rejection: Rejection }> {
  const problem =
    datesRejection(dates, today) ?? (category.id === before.category_id ? null : archivedRejection(category));
  if (problem !== null) return { rejection: problem };
  const person = await readEmploymentDays(
    services.executor,
    { organisationId, personId },
    dates.start_date,
    dates.end_date,
  );
  const { employment } = person!;
  const rejection = employment.rejection(dates);
  return rejection !== null ? { rejection } : countEntry(services, organisationId, dates, { category, employment });
}

async function existingTimeOff(
  services: CommandServices,
  organisationId: string,
  timeOffId: string,
): Promise<TimeOffRow> {
  const row = await findTimeOff(services.executor, organisationId, timeOffId);
  if (row === null) throw new RejectedError(notFound('time_off_id', 'there is no such time-off record'));
  await requireNotErased(services.executor, organisationId, row.person_id);
  return row;
}

/** The record right after a command, without later changes. */
function asRow(
  { state, events }: CommandResult<TimeOffCalendar>,
  timeOffId: string,
  names: {
    readonly personId: string;
    readonly personName: string;
    readonly categories: readonly { readonly id: string; readonly label: string }[];
  },
): TimeOffRow {
  const { status, is_standard: _, requires_approval: __, ...record } = state.records.get(timeOffId)!;
  const first = events.find((event) => event.data['time_off_id'] === timeOffId)!;
  return {
    ...record,
    status_code: status,
    person_id: names.personId,
    display_name: names.personName,
    category_label: names.categories.find(({ id }) => id === record.category_id)?.label ?? record.category_id,
    created_at: new Date(first.recordedAt),
    updated_at: new Date(events[record.revision]!.recordedAt),
  };
}

/** Refuses an archived category. */
function archivedRejection(category: Pick<TimeOffCategoryRow, 'is_active'>): Rejection | null {
  return category.is_active ? null : conflict('category_id', 'this time-off category is archived');
}

/** Throws {@link RejectedError} for a rejection. */
export function refuse(rejection: Rejection | null): void {
  if (rejection !== null) throw new RejectedError(rejection);
}

export class CreateTimeOff extends Command<TimeOffRow> {
  constructor(
    readonly context: CommandContext,
    readonly timeOff: NewTimeOff,
  ) {
    super();
  }
}

export class UpdateTimeOff extends Command<TimeOffRow> {
  constructor(
    readonly context: CommandContext,
    readonly timeOffId: string,
    readonly changes: TimeOffChanges,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

export class StepTimeOff extends Command<TimeOffRow> {
  constructor(
    readonly context: CommandContext,
    readonly timeOffId: string,
    readonly step: TimeOffStep,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(CreateTimeOff)
class CreateTimeOffHandler implements ICommandHandler<CreateTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, timeOff }: CreateTimeOff): Promise<TimeOffRow> {
    return requestTimeOff(this.services, context, timeOff);
  }
}

@CommandHandler(UpdateTimeOff)
class UpdateTimeOffHandler implements ICommandHandler<UpdateTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, timeOffId, changes, ifMatch }: UpdateTimeOff): Promise<TimeOffRow> {
    return changeTimeOff(this.services, context, timeOffId, changes, ifMatch);
  }
}

@CommandHandler(StepTimeOff)
class StepTimeOffHandler implements ICommandHandler<StepTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, timeOffId, step, ifMatch }: StepTimeOff): Promise<TimeOffRow> {
    return stepTimeOff(this.services, context, timeOffId, step, ifMatch);
  }
}

/** The handlers of this file, for the module. */
export const TIME_OFF_COMMAND_HANDLERS = [CreateTimeOffHandler, UpdateTimeOffHandler, StepTimeOffHandler];
