import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { defineResource } from '#commands/resource.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { HttpError } from '#http/errors.js';
import {
  BooleanField,
  DateField,
  DateTimeField,
  enumeration,
  EnumField,
  IdField,
  ListField,
  ObjectField,
  TextField,
} from '#http/fields.js';
import { mapYielding } from '#http/map-yielding.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, isSafeInteger, type Page, type PagedList, PageQuery, readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { addDays, dateIn, type LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import {
  CHANGE_TYPES,
  CHANGED_FIELDS,
  type ChangeType,
  type PayrollChange,
  payrollChangeOf,
  payrollChangeOfMarker,
} from './payroll-change.js';
import { type ChangePlace, type ChangeRow, factsOfPeople, listChanges } from './payroll-changes.js';
import { listReadiness, type ReadinessPlace, type ReadinessRow } from './payroll-readiness.js';
import {
  MAX_READINESS_ISSUES,
  type Presence,
  PRESENCE_NAMES,
  type PresenceName,
  readinessIssues,
  SEVERITIES,
  type Severity,
} from './payroll-readiness.rules.js';
import { instantsOf, isRetroactive, MAX_WINDOW_DAYS, type PayrollWindow, windowIssue } from './payroll-window.js';

const CHANGES: PagedList<ChangePlace, ChangeRow> = {
  route: 'listPayrollChanges',
  place: { recordedAt: isText, personId: isText, source: isSafeInteger, revision: isSafeInteger, horizon: isText },
  placeOf: (row) => ({
    recordedAt: row.recorded_at.toISOString(),
    personId: row.person_id,
    source: row.marker === null ? 0 : 1,
    revision: row.revision,
    horizon: row.horizon.toISOString(),
  }),
};

/** One page of a payroll run (docs/reference/payroll.md). */
export async function readPayrollChanges(
  executor: Executor,
  cursors: CursorCodec,
  organisation: { readonly id: string; readonly timeZone: string },
  query: PayrollWindow & PageQuery,
): Promise<Page<PayrollChangeResponse>> {
  const { id: organisationId, timeZone } = organisation;
  const window: PayrollWindow = { from: query.from, to: query.to };
  const request = { organisationId, filters: { ...window }, query };
  const { rows, nextCursor } = await readPage(cursors, CHANGES, request, (after, count) =>
    listChanges(executor, { organisationId, window, instants: instantsOf(window, timeZone), after, count }),
  );
  const people = rows.flatMap((row) => (row.marker === null ? [row.person_id] : []));
  const facts = await factsOfPeople(executor, organisationId, people);
  const changeOf = ({ marker, person_id, revision, corrected_effective_from: corrected }: ChangeRow): PayrollChange =>
    marker === null
      ? payrollChangeOf(facts.get(person_id)!.slice(0, revision + 1))
      : payrollChangeOfMarker(marker, corrected !== null);
  const changes = await mapYielding(rows, (row) => present(row, timeZone, changeOf(row)));
  return { rows: changes, nextCursor };
}

function present(row: ChangeRow, timeZone: string, change: PayrollChange): PayrollChangeResponse {
  const dates = [row.effective_from, row.corrected_effective_from].filter((date) => date !== null);
  return {
    fact_id: row.fact_id,
    person: { id: row.person_id, display_name: row.display_name, staff_id: row.staff_id },
    change_type: change.changeType,
    effective_date: row.effective_from,
    corrected_effective_date: row.corrected_effective_from,
    recorded_at: row.recorded_at.toISOString(),
    is_retroactive: isRetroactive(row.recorded_at, dates, timeZone),
    changed_fields: change.changedFields,
    // The service stores neither; only markers record that they changed (ADR 27).
    compensation_changed: row.marker === 'compensation',
    banking_changed: row.marker === 'bank_details',
  };
}

/**
 * The number of days after their final day for which people stay listed: a payroll year, and time for late
 * corrections.
 */
const MAX_DAYS_AFTER_LEAVING = 400;

const READINESS_LIST: PagedList<ReadinessPlace, ReadinessRow> = {
  route: 'listPayrollReadiness',
  place: { createdAt: isText, personId: isText },
  placeOf: (row) => ({ createdAt: row.created_at.toISOString(), personId: row.person_id }),
};

/**
 * Reads one page of the data that payroll still lacks (docs/reference/payroll.md). `today`: in the
 * organisation's time zone.
 */
async function readPayrollReadiness(
  executor: Executor,
  cursors: CursorCodec,
  { organisationId, today }: { readonly organisationId: string; readonly today: LocalDate },
  query: PageQuery,
): Promise<Page<PayrollReadinessResponse>> {
  const leftSince = addDays(today, -MAX_DAYS_AFTER_LEAVING);
  const { rows, nextCursor } = await readPage(
    cursors,
    READINESS_LIST,
    { organisationId, filters: {}, query },
    (after, count) => listReadiness(executor, { organisationId, leftSince, today, after, count }),
  );
  return { rows: rows.map(presentReadiness), nextCursor };
}

function presentReadiness(row: ReadinessRow): PayrollReadinessResponse {
  const {
    shares_staff_id: sharesStaffId,
    exceeds_full_time: exceedsFullTime,
    missing_custom_fields: missingCustomFields,
  } = row;
  const isThere: Presence = {
    ...row,
    staff_id: row.staff_id !== null,
    custom_fields: missingCustomFields.length === 0,
  };
  const presence = Object.fromEntries(PRESENCE_NAMES.map((name) => [name, isThere[name]])) as Presence;
  return {
    person: { id: row.person_id, display_name: row.display_name, staff_id: row.staff_id },
    presence,
    issues: readinessIssues({ presence, sharesStaffId, exceedsFullTime, missingCustomFields }),
  };
}

/** A person with the data by which payroll matches them. */
class PayrollPerson {
  @IdField('person', { description: 'Id of the person in this organisation.', example: '7k2m9qx4hz1c' })
  readonly id!: string;
  @TextField({ maximumLength: 600, description: 'Their current display name.', example: 'Ada Byron' })
  readonly display_name!: string;
  @TextField({ nullable: true, description: 'Their current staff id.', example: 'E-1042' })
  readonly staff_id!: string | null;
}

class PayrollChangesQuery extends PageQuery {
  @DateField({ description: 'First day of the window, inclusive.', example: '2026-03-01' })
  readonly from!: string;
  @DateField({
    description: `Last day of the window, inclusive; not before from, and at most ${MAX_WINDOW_DAYS} days in all.`,
    example: '2026-03-31',
  })
  readonly to!: string;
}

/** One recorded fact for payroll (contract part 4): it shows that something changed, never the new value. */
export class PayrollChangeResponse {
  @IdField('employmentFact', {
    description:
      'The fact of the employment history, or the marker of payroll; it never changes, so it identifies the change ' +
      'across runs.',
    example: 'ef_Tq4mZ8xA.b6Kd_P1w.Nc5rV9tYs2Lg',
  })
  readonly fact_id!: string;
  @ObjectField(() => PayrollPerson)
  readonly person!: PayrollPerson;
  @EnumField(CHANGE_TYPES, {
    description: 'The fact that sets the first day of an employment is a starter, whatever its kind.',
    example: 'employment_change',
  })
  readonly change_type!: ChangeType;
  @DateField({ description: 'The day it takes effect; for a leaver the final day, inclusive.', example: '2026-03-16' })
  readonly effective_date!: string;
  @DateField({
    nullable: true,
    description: 'For a correction that replaces a fact: the effective date of that fact.',
    example: null,
  })
  readonly corrected_effective_date!: string | null;
  @DateTimeField({ description: 'When it was recorded.', example: '2026-04-10T09:12:44.120Z' })
  readonly recorded_at!: string;
  @BooleanField({
    description:
      'Whether it was recorded on a later day, in the time zone of the organisation, than it took effect; for a ' +
      'correction, also than the replaced fact took effect.',
    example: true,
  })
  readonly is_retroactive!: boolean;
  @ListField(enumeration(CHANGED_FIELDS), {
    maximumItems: CHANGED_FIELDS.length,
    description: 'The names of the fields that differ from what was known before.',
    example: ['department', 'contracted_weekly_minutes'],
  })
  readonly changed_fields!: readonly string[];
  @BooleanField({
    description: 'Whether the compensation changed from this day on, as a marker says; the service stores none.',
    example: false,
  })
  readonly compensation_changed!: boolean;
  @BooleanField({
    description: 'Whether bank details changed from this day on, as a marker says; the service stores none.',
    example: false,
  })
  readonly banking_changed!: boolean;
}

/** Whether each value is recorded; never the value. */
class PayrollPresence implements Presence {
  @BooleanField()
  readonly staff_id!: boolean;
  @BooleanField()
  readonly work_email!: boolean;
  @BooleanField()
  readonly start_date!: boolean;
  @BooleanField()
  readonly job_title!: boolean;
  @BooleanField()
  readonly department!: boolean;
  @BooleanField()
  readonly manager!: boolean;
  @BooleanField()
  readonly work_type!: boolean;
  @BooleanField()
  readonly contracted_weekly_minutes!: boolean;
  @BooleanField()
  readonly full_time_weekly_minutes!: boolean;
  @BooleanField()
  readonly working_pattern!: boolean;
  @BooleanField({ description: 'From the personal profile.' })
  readonly date_of_birth!: boolean;
  @BooleanField({ description: 'From the personal profile.' })
  readonly home_address!: boolean;
  @BooleanField({
    description: 'Whether every required custom field of sensitivity payroll that the API may show has a value.',
  })
  readonly custom_fields!: boolean;
  @BooleanField({ description: 'By the latest marker of payroll up to today.' })
  readonly compensation!: boolean;
  @BooleanField({ description: 'By the latest marker of payroll up to today.' })
  readonly bank_details!: boolean;
  @BooleanField({ description: 'By the latest marker of payroll up to today.' })
  readonly tax_id!: boolean;
  @BooleanField({ description: 'By the latest marker of payroll up to today.' })
  readonly government_id!: boolean;
}

class PayrollIssue {
  @EnumField(SEVERITIES, {
    description: 'blocking stops a payroll run for the person, warning makes it doubtful, info is worth knowing.',
    example: 'blocking',
  })
  readonly severity!: Severity;
  @EnumField(PRESENCE_NAMES, { example: 'contracted_weekly_minutes' })
  readonly field!: PresenceName;
  @TextField({
    description: 'A description of the issue, without any value.',
    maximumLength: 20_000,
    example: 'no contracted weekly minutes are recorded',
  })
  readonly issue!: string;
}

/** The data of a person that is present for payroll, and the issues (contract part 4). */
class PayrollReadinessResponse {
  @ObjectField(() => PayrollPerson)
  readonly person!: PayrollPerson;
  @ObjectField(() => PayrollPresence)
  readonly presence!: PayrollPresence;
  @ListField(() => PayrollIssue, {
    maximumItems: MAX_READINESS_ISSUES,
    description: 'The most severe first; empty where there are none.',
  })
  readonly issues!: readonly PayrollIssue[];
}

@Controller('payroll-changes-export')
class PayrollChangesController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    operationId: 'listPayrollChanges',
    summary: 'List the payroll changes of a window',
    description:
      'Starters, leavers, rehires, changes and corrections that take effect in the window, and those recorded in it ' +
      'that took effect before. In the order of recording. A fact never changes, so a later run of the same window ' +
      'only adds facts recorded in between.',
    tags: ['Payroll exports'],
    scope: 'payroll_exports:read',
    capability: 'payroll.changes.export',
    tools: [
      {
        name: 'list_payroll_changes',
        title: 'List what changes the payroll of a window',
        description:
          'Lists starters, leavers, rehires, changes and corrections that concern the payroll between two days, also ' +
          "those that took effect before and were recorded since. Use it to answer what is new in a month's payroll.",
      },
    ],
    query: PayrollChangesQuery,
    response: PayrollChangeResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, PayrollChangesQuery>): Promise<Answer> {
    const issue = windowIssue(call.query);
    if (issue !== null) throw new HttpError('invalid_request', { details: [issue] });
    const { rows, nextCursor } = await readPayrollChanges(this.pool, this.cursors, call.key.organisation, call.query);
    return { data: rows, nextCursor };
  }
}

@Controller('payroll-readiness-export')
class PayrollReadinessController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    operationId: 'listPayrollReadiness',
    summary: 'List the payroll readiness of people',
    description:
      `All people who are employed, will start, or left at most ${MAX_DAYS_AFTER_LEAVING} days ` +
      'ago, in the order of creation, with the signals that are present and the issues that hinder paying them. ' +
      'Never a value.',
    tags: ['Payroll exports'],
    scope: 'payroll_exports:read',
    capability: 'payroll.readiness.export',
    query: PageQuery,
    response: PayrollReadinessResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, PageQuery>): Promise<Answer> {
    const { id: organisationId, timeZone } = call.key.organisation;
    const today = dateIn(timeZone, this.clock.now());
    const { rows, nextCursor } = await readPayrollReadiness(
      this.pool,
      this.cursors,
      { organisationId, today },
      call.query,
    );
    return { data: rows, nextCursor };
  }
}

/** The changes that payroll needs, and the data that it lacks. */
export const payrollExportResource = defineResource({
  area: 'integration',
  controllers: [PayrollChangesController, PayrollReadinessController],
});
