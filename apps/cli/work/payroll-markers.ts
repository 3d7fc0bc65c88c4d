import type { Pool } from 'pg';
import { MarkPayroll, standingMarkers, WithdrawPayrollMarker } from '#payroll/marker/payroll-marker.api.js';
import type { MarkerState, PayrollMarker } from '#payroll/marker/payroll-marker.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Call, Outcome } from '../declaration.js';
import { UsageError } from '../command-error.js';
import { type Installation, withInstallation } from '../installation.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

/** `workforce people mark-payroll`. */
export function markPayrollOf(call: Call): Promise<Outcome> {
  const { marker, state, from, withdraw } = call.options as {
    readonly marker?: PayrollMarker;
    readonly state?: MarkerState;
    readonly from?: string;
    readonly withdraw?: string;
  };
  if (withdraw !== undefined && (marker ?? state ?? from) !== undefined)
    throw new UsageError('--withdraw goes with no other option: it names the marker that is taken back.');
  if (withdraw === undefined && (marker === undefined || state === undefined))
    throw new UsageError('Name --marker and --state, or --withdraw with the id of a marker.');
  return ofPerson(call, async (installation, organisation, person) => {
    const { isNew } = await sendAsOperator(installation, organisation, (context) =>
      withdraw === undefined
        ? new MarkPayroll(context, person.id, { marker: marker!, state: state!, effective_date: from ?? context.today })
        : new WithdrawPayrollMarker(context, person.id, withdraw),
    );
    const outcome = await outcomeOf(installation.pool, organisation, person);
    return { ...outcome, text: `${isNew ? 'Recorded.' : 'Nothing changed.'}\n\n${outcome.text}` };
  });
}

/** `workforce people payroll-markers`. */
export function listPayrollMarkers(call: Call): Promise<Outcome> {
  return ofPerson(call, ({ pool }, organisation, person) => outcomeOf(pool, organisation, person));
}

interface NamedPerson {
  readonly id: string;
  readonly name: string;
}

async function outcomeOf(pool: Pool, organisation: OrganisationRow, { id, name }: NamedPerson) {
  const markers = await standingMarkers(pool, organisation.id, id);
  const rows = markers.map(({ id: markerId, marker, state, effective_date: date, recorded_at: recorded }) => [
    markerId,
    marker,
    state,
    date,
    recorded,
  ]);
  return {
    json: { person_id: id, markers: markers.map((one) => ({ ...one })) },
    text:
      rows.length === 0
        ? `Nothing is marked of ${name}.`
        : textTable(['ID', 'MARKER', 'STATE', 'FROM', 'RECORDED'], rows),
  };
}

function ofPerson(
  call: Call,
  work: (installation: Installation, organisation: OrganisationRow, person: NamedPerson) => Promise<Outcome>,
): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const person = await requirePerson(installation.pool, call.arguments[0]!, organisation.id);
    return work(installation, organisation, { id: person.person_id, name: person.display_name });
  });
}
