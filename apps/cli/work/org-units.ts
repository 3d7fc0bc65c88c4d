import type { CommandContext } from '#commands/command-context.js';
import { type Json, namedFields } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import { nameKey } from '#kernel/names.js';
import { ChangeOrgUnit, CreateOrgUnit, presentOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { findOrgUnit, listOrgUnits, type OrgUnit, type OrgUnitRow } from '#organisation/org-unit/org-unit.js';
import type { Call, Outcome } from '../declaration.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { textOrNull } from '../options.js';
import { type CommandOf, sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

/** `workforce org-units list`. */
export function listUnits({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id } = await requireOrganisation(pool, options['organisation'] as string);
    const units = await listOrgUnits(pool, id);
    return { json: { org_units: units.map(unitJson) }, text: unitTable(units) };
  });
}

/** `workforce org-units show`. */
export function showUnit({ arguments: [which], options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id } = await requireOrganisation(pool, options['organisation'] as string);
    const unit = await requireUnit(pool, id, which!);
    return { json: unitJson(unit), text: unitTable([unit]) };
  });
}

/** `workforce org-units create`. */
export function createUnit(call: Call): Promise<Outcome> {
  return record(
    call,
    'Created',
    (fields) => (context) =>
      new CreateOrgUnit(context, { code: null, parent_id: null, head_id: null, ...fields } as OrgUnit),
  );
}

/** `workforce org-units update`. */
export function updateUnit(call: Call): Promise<Outcome> {
  return record(call, 'Changed', (changes) => async (context, executor) => {
    if (Object.keys(changes).length === 0)
      throw new UsageError('Nothing to change: name at least one field; --help lists them.');
    return new ChangeOrgUnit(context, await named(executor, context, call), { type: 'change', changes }, null);
  });
}

/** `workforce org-units archive`. */
export function archiveUnit(call: Call): Promise<Outcome> {
  return record(
    call,
    'Archived',
    () => async (context, executor) =>
      new ChangeOrgUnit(context, await named(executor, context, call), { type: 'archive' }, null),
  );
}

/** `workforce org-units reactivate`. */
export function reactivateUnit(call: Call): Promise<Outcome> {
  return record(
    call,
    'Reactivated',
    () => async (context, executor) =>
      new ChangeOrgUnit(context, await named(executor, context, call), { type: 'reactivate' }, null),
  );
}

function record(
  call: Call,
  done: string,
  commandOf: (fields: Partial<OrgUnit>) => CommandOf<OrgUnitRow>,
): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const fields = await fieldsOf(installation.pool, organisation.id, call.options);
    const row = await sendAsOperator(installation, organisation, commandOf(fields));
    // With the names of what it refers to.
    const unit = (await findOrgUnit(installation.pool, organisation.id, row.id)) ?? row;
    return { json: unitJson(unit), text: `${done} ${unit.name} (${unit.id}).` };
  });
}

/** The fields that the operator named; an empty optional one means none. */
async function fieldsOf(
  executor: Executor,
  organisationId: string,
  options: Call['options'],
): Promise<Partial<OrgUnit>> {
  const [parent, head] = [textOrNull(options['parent']), textOrNull(options['head'])];
  const fields = {
    name: options['name'] as string | undefined,
    code: textOrNull(options['code']),
    parent_id: typeof parent === 'string' ? (await requireUnit(executor, organisationId, parent)).id : parent,
    head_id: typeof head === 'string' ? (await requirePerson(executor, head, organisationId)).person_id : head,
  };
  return namedFields(fields) as Partial<OrgUnit>;
}

async function named(executor: Executor, { organisationId }: CommandContext, call: Call): Promise<string> {
  return (await requireUnit(executor, organisationId, call.arguments[0]!)).id;
}

/**
 * The unit that the operator named by id, code or name; active ones come first. Throws {@link NotFoundError}.
 */
export async function requireUnit(executor: Executor, organisationId: string, which: string): Promise<OrgUnitRow> {
  const units = await listOrgUnits(executor, organisationId);
  const isNamed = ({ id, code, name }: OrgUnitRow): boolean =>
    id === which || code === which || nameKey(name) === nameKey(which);
  const found = units
    .filter(isNamed)
    .sort((one, other) => Number(one.archived_at !== null) - Number(other.archived_at !== null));
  const [first, second] = found;
  if (first === undefined)
    throw new NotFoundError(`There is no org unit ${which}: workforce org-units list shows all.`);
  if (second !== undefined && (second.archived_at === null) === (first.archived_at === null))
    throw new UsageError(
      `${found.length} org units match ${which}: take the id, which workforce org-units list shows.`,
    );
  return first;
}

function unitTable(units: readonly OrgUnitRow[]): string {
  const rows = units.map((one) => [
    one.id,
    one.name,
    one.code ?? '',
    one.parent_name ?? '',
    one.head_name ?? '',
    one.archived_at === null ? 'active' : 'archived',
  ]);
  return textTable(['ID', 'NAME', 'CODE', 'BELOW', 'HEAD', 'STATUS'], rows);
}

function unitJson(unit: OrgUnitRow): Json {
  return presentOrgUnit(unit) as unknown as Json;
}
