import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Cells } from '#csv-import/cells.js';
import type { FileColumns } from '#csv-import/columns.js';
import type { CsvRow } from '#csv-import/csv-rows.js';
import type { ImportReport, RowOutcome } from '#csv-import/import-report.js';
import { importRows } from '#csv-import/import-rows.js';
import type { ImportSettings } from '#csv-import/import-settings.js';
import { date, enumeration } from '#http/fields.js';
import { emailKey } from '#http/fields/email-address.js';
import { findPeople, PeopleFound, personNamedBy } from '#people/import/find-people.js';
import { requirePersonKey } from '#people/person/person-keys.js';
import type { Executor } from '#projections/projection.js';
import {
  decidePayrollMarkers,
  MARKER_STATES,
  type MarkerFact,
  type MarkerState,
  PAYROLL_MARKERS,
  PAYROLL_MARKERS_MIGRATION,
  type PayrollMarker,
  type PayrollMarkerCommand,
  payrollMarkerProjection,
  payrollMarkersAggregate,
  type PayrollMarkersState,
} from './payroll-marker.js';

/** A marker that stands: recorded and not withdrawn. */
export interface StandingMarker extends MarkerFact {
  readonly id: string;
  /** ISO 8601. */
  readonly recorded_at: string;
}

/**
 * Records that data which the service does not store is present, changed or absent in another system from a
 * day on. Returns whether anything was recorded: a standing marker is not recorded twice. Throws
 * `RejectedError`: no such person, an erased one, a date that does not exist.
 */
export function markPayroll(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  fact: MarkerFact,
): Promise<{ readonly isNew: boolean }> {
  return run(services, context, personId, { type: 'mark', markerId: newId(services, context), fact });
}

function run(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  command: PayrollMarkerCommand,
): Promise<{ readonly isNew: boolean }> {
  return commit(services, context, async (within) => {
    await requirePersonKey(services.executor, context.organisationId, personId);
    const decide = (state: PayrollMarkersState) => decidePayrollMarkers(command, state);
    const { outcome } = await execute(services, within, payrollMarkersAggregate, personId, { decide });
    return () => ({ isNew: outcome !== 'unchanged' });
  });
}

/** The standing markers of a person, the latest day first. */
export async function standingMarkers(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<readonly StandingMarker[]> {
  const { rows } = await executor.query<Omit<StandingMarker, 'recorded_at'> & { readonly recorded_at: Date }>({
    name: 'standing-payroll-markers',
    text: `select m.id, m.marker, m.state, m.effective_date, m.recorded_at from payroll_markers m
            where m.organisation_id = $1 and m.person_id = $2 and ${STANDS}
              order by m.effective_date desc, m.revision desc`,
    values: [organisationId, personId],
  });
  return rows.map((row) => ({ ...row, recorded_at: row.recorded_at.toISOString() }));
}

/** SQL condition of a row `m` of `payroll_markers` that is not a withdrawal and was not withdrawn. */
export const STANDS = `m.withdraws is null and not exists (
  select from payroll_markers w where w.organisation_id = m.organisation_id and w.withdraws = m.id)`;

/** An id with the prefix of employment facts: the payroll export has both in one field. */
function newId({ mint }: CommandServices, { organisationId, seed }: CommandContext): string {
  return mint.prefixed('employmentFact', organisationId, 'payroll-marker', ...seed);
}

/** A file of markers. No column contains the data itself. */
export const PAYROLL_MARKER_FILE: FileColumns = {
  columns: ['staff_id', 'work_email', 'marker', 'state', 'effective_date'],
  synonyms: {
    staff_id: ['employee id', 'employee number', 'personnel number'],
    work_email: ['email', 'e mail', 'email address'],
    effective_date: ['from', 'date', 'valid from'],
  },
  needed: [['staff_id', 'work_email'], ['marker'], ['state'], ['effective_date']],
};

/** A row of the file. */
interface MarkerRow extends MarkerFact {
  readonly staffId: string | undefined;
  readonly workEmail: string | undefined;
}

/**
 * Imports markers, one per row. A standing marker is not recorded twice, so a repeated import is safe.
 */
export function importPayrollMarkers(settings: ImportSettings, rows: AsyncIterable<CsvRow>): Promise<ImportReport> {
  let people = new PeopleFound([]);
  return importRows<MarkerRow>(settings, rows, {
    ...PAYROLL_MARKER_FILE,
    read: readRow,
    prepare: async ({ executor }, organisationId, all) => {
      const staffIds = all.flatMap(({ staffId }) => staffId ?? []);
      const emailKeys = all.flatMap(({ workEmail }) => (workEmail === undefined ? [] : emailKey(workEmail)));
      people = await findPeople(executor, organisationId, { staffIds, emailKeys, ids: [] });
    },
    subjectOf: (row) => people.keyOf(row),
    record: (services, context, row) => record(services, context, row, people),
  });
}

function readRow(cells: Cells): MarkerRow {
  const [staffId, workEmail] = [cells.raw('staff_id'), cells.raw('work_email')];
  if (staffId === undefined && workEmail === undefined) cells.refuse('staff_id', 'staff_id or work_email is required');
  for (const column of ['marker', 'state', 'effective_date']) cells.require(column);
  return {
    staffId,
    workEmail,
    marker: cells.text('marker', enumeration(PAYROLL_MARKERS)) as PayrollMarker,
    state: cells.text('state', enumeration(MARKER_STATES)) as MarkerState,
    effective_date: cells.text('effective_date', date) ?? '',
  };
}

async function record(
  services: CommandServices,
  context: CommandContext,
  { staffId, workEmail, ...fact }: MarkerRow,
  people: PeopleFound,
): Promise<RowOutcome> {
  const { isNew } = await markPayroll(services, context, personNamedBy({ staffId, workEmail }, people), fact);
  return isNew ? 'created' : 'unchanged';
}

/** Whether a command about markers recorded anything. */
export interface Marked {
  readonly isNew: boolean;
}

export class MarkPayroll extends Command<Marked> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly fact: MarkerFact,
  ) {
    super();
  }
}

/**
 * Withdraws a marker that was recorded by mistake. Throws `RejectedError` if the person has none with this
 * id.
 */
export class WithdrawPayrollMarker extends Command<Marked> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly markerId: string,
  ) {
    super();
  }
}

@CommandHandler(MarkPayroll)
class MarkPayrollHandler implements ICommandHandler<MarkPayroll> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, fact }: MarkPayroll): Promise<Marked> {
    return markPayroll(this.services, context, personId, fact);
  }
}

@CommandHandler(WithdrawPayrollMarker)
class WithdrawPayrollMarkerHandler implements ICommandHandler<WithdrawPayrollMarker> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, markerId: withdraws }: WithdrawPayrollMarker): Promise<Marked> {
    return run(this.services, context, personId, {
      type: 'withdraw',
      markerId: newId(this.services, context),
      withdraws,
    });
  }
}

/**
 * Markers about payroll data that the service does not store. They are written in the console and by imports,
 * never with an API key.
 */
export const payrollMarkerResource = defineResource({
  area: 'integration',
  aggregates: [payrollMarkersAggregate],
  projections: [payrollMarkerProjection],
  migrations: [PAYROLL_MARKERS_MIGRATION],
  handlers: [MarkPayrollHandler, WithdrawPayrollMarkerHandler],
});
