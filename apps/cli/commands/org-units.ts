import { ChangeOrgUnit, CreateOrgUnit, presentOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { listOrgUnits, ORG_UNIT, type OrgUnit, type OrgUnitRow } from '#organisation/org-unit/org-unit.js';
import { command } from '../command.js';
import type { Context, Outcome, Parameter } from '../declaration.js';
import { optionsOf, optionsOfNew, valuesOf } from '../field-options.js';
import { requirePerson, requireUnit } from '../find-named.js';
import { argument, lookedUp, NOTHING_TO_CHANGE, ORGANISATION } from '../options.js';
import { type Columns, listOf, tableOf } from '../text-table.js';

const UNIT: Parameter<OrgUnitRow> = {
  ...argument('id, code or name of the unit'),
  read:
    (given) =>
    ({ pool, organisation }) =>
      requireUnit(pool, organisation!.id, given as string),
};
const REFERENCES = {
  parent: lookedUp(
    '<unit>',
    'id, code or name of the unit above it; empty for the top',
    async ({ pool, organisation }, unit) => (await requireUnit(pool, organisation!.id, unit)).id,
  ),
  head: lookedUp(
    '<person>',
    'who is at its head: id, work e-mail or staff id; empty for nobody',
    async ({ pool, organisation }, person) => (await requirePerson(pool, person, organisation!.id)).person_id,
  ),
};
const COLUMNS: Columns<OrgUnitRow> = {
  ID: 'id',
  NAME: 'name',
  CODE: 'code',
  BELOW: 'parent_name',
  HEAD: 'head_name',
  STATUS: ({ archived_at: archivedAt }) => (archivedAt === null ? 'active' : 'archived'),
};

/** `workforce org-units …`. */
export const commands = {
  list: command({
    description: 'list all units, including archived ones',
    options: { organisation: ORGANISATION },
    run: async ({ organisation }, { pool }) =>
      listOf('org_units', await listOrgUnits(pool, organisation.id), COLUMNS, presentOrgUnit),
  }),
  show: command({
    description: 'show a unit',
    arguments: { unit: UNIT },
    options: { organisation: ORGANISATION },
    run: ({ unit }) => Promise.resolve({ json: presentOrgUnit(unit), text: tableOf(COLUMNS, [unit]) }),
  }),
  create: command({
    description: 'create a unit',
    options: { organisation: ORGANISATION, ...optionsOfNew(ORG_UNIT, REFERENCES) },
    run: async (given, { send }) => {
      const unit = { ...ORG_UNIT.initial, ...valuesOf(ORG_UNIT, given) } as OrgUnit;
      return outcomeOf('Created', await send((context) => new CreateOrgUnit(context, unit)));
    },
  }),
  update: command({
    description: 'change a unit',
    arguments: { unit: UNIT },
    options: { organisation: ORGANISATION, ...optionsOf(ORG_UNIT, REFERENCES) },
    changes: NOTHING_TO_CHANGE,
    run: (given, context) =>
      change(context, 'Changed', given.unit, { type: 'change', changes: valuesOf(ORG_UNIT, given) }),
  }),
  archive: command({
    description: 'archive a unit, which must have no active people and no active units below it',
    arguments: { unit: UNIT },
    options: { organisation: ORGANISATION },
    run: ({ unit }, context) => change(context, 'Archived', unit, { type: 'archive' }),
  }),
  reactivate: command({
    description: 'reactivate an archived unit',
    arguments: { unit: UNIT },
    options: { organisation: ORGANISATION },
    run: ({ unit }, context) => change(context, 'Reactivated', unit, { type: 'reactivate' }),
  }),
};

async function change(
  { send }: Context,
  done: string,
  { id }: OrgUnitRow,
  requested: ChangeOrgUnit['change'],
): Promise<Outcome> {
  return outcomeOf(done, await send((context) => new ChangeOrgUnit(context, id, requested, null)));
}

function outcomeOf(done: string, unit: OrgUnitRow): Outcome {
  return { json: presentOrgUnit(unit), text: `${done} ${unit.name} (${unit.id}).` };
}
