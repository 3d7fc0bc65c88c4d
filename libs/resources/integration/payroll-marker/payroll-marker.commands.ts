import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { requirePersonKey } from '../../people/person/person-keys.js';
import type { Executor } from '#projections/projection.js';
import {
  decidePayrollMarkers,
  type MarkerFact,
  type PayrollMarkerCommand,
  payrollMarkersAggregate,
  type PayrollMarkersState,
} from './payroll-marker.decider.js';

/** A marker that stands: recorded and not withdrawn. */
export interface StandingMarker extends MarkerFact {
  readonly id: string;
  /** ISO 8601. */
  readonly recorded_at: string;
}

/**
 * Records that something which the service does not hold is there, changed, or is there no more, from a day on. Returns whether anything was
 * recorded: a marker that stands already is not recorded twice. Throws `RejectedError`: no such person, an erased one, a date that does not exist.
 */
export function markPayroll(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  fact: MarkerFact,
): Promise<{ readonly isNew: boolean }> {
  return run(services, context, personId, { type: 'mark', markerId: newId(services, context), fact });
}

/** Withdraws a marker that was recorded by mistake. Throws `RejectedError` where the person has none with this id. */
export function withdrawPayrollMarker(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  withdraws: string,
): Promise<{ readonly isNew: boolean }> {
  return run(services, context, personId, { type: 'withdraw', markerId: newId(services, context), withdraws });
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
export async function standingMarkers(executor: Executor, organisationId: string, personId: string): Promise<readonly StandingMarker[]> {
  const { rows } = await executor.query<Omit<StandingMarker, 'recorded_at'> & { readonly recorded_at: Date }>({
    name: 'standing-payroll-markers',
    text: `select m.id, m.marker, m.state, m.effective_date, m.recorded_at from payroll_markers m
            where m.organisation_id = $1 and m.person_id = $2 and ${STANDS} order by m.effective_date desc, m.revision desc`,
    values: [organisationId, personId],
  });
  return rows.map((row) => ({ ...row, recorded_at: row.recorded_at.toISOString() }));
}

/** SQL for a row `m` of `payroll_markers` that is no withdrawal and was not withdrawn. */
export const STANDS = `m.withdraws is null and not exists (
  select from payroll_markers w where w.organisation_id = m.organisation_id and w.withdraws = m.id)`;

/** Of the kind of employment facts: the payroll export names both in one field. */
function newId({ mint }: CommandServices, { organisationId, seed }: CommandContext): string {
  return mint.prefixed('employmentFact', organisationId, 'payroll-marker', ...seed);
}
