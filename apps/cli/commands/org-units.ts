import { ChangeOrgUnit, CreateOrgUnit, presentOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { listOrgUnits, ORG_UNIT, type OrgUnit, type OrgUnitRow } from '#organisation/org-unit/org-unit.js';
import { idOf, idOrNone, namedOf, ORG_UNITS, requirePerson } from '../find-named.js';
import { lookedUp, required } from '../options.js';
import { optionsOf, resourceCommands } from '../resource-commands.js';

const REFERENCES = {
  parent: lookedUp('<unit>', 'id, code or name of the unit above it; empty for the top', idOrNone(idOf(ORG_UNITS))),
  head: lookedUp(
    '<person>',
    'its head: id, work e-mail or staff id; empty for none',
    idOrNone(async ({ pool, organisation }, who) => (await requirePerson(pool, who, organisation!.id)).person_id),
  ),
};

const { list, show, create, update, step } = resourceCommands<OrgUnitRow>({
  argument: { unit: required(lookedUp('', 'id, code or name of the unit', namedOf(ORG_UNITS))) },
  options: optionsOf(ORG_UNIT, REFERENCES),
  member: 'org_units',
  columns: {
    ID: 'id',
    NAME: 'name',
    CODE: 'code',
    BELOW: 'parent_name',
    HEAD: 'head_name',
    STATUS: ({ archived_at: archivedAt }) => (archivedAt === null ? 'active' : 'archived'),
  },
  present: presentOrgUnit,
});

/** `workforce org-units …`. */
export const commands = {
  list: list('list all units, including archived ones', listOrgUnits),
  show: show('show a unit'),
  create: create('create a unit', (context, unit: OrgUnit) => new CreateOrgUnit(context, unit)),
  update: update(
    'change a unit',
    (context, id, changes: Partial<OrgUnit>) => new ChangeOrgUnit(context, id, { type: 'change', changes }, null),
  ),
  archive: step(
    'archive a unit, which must have no active people and no active units below it',
    'Archived',
    (context, id) => new ChangeOrgUnit(context, id, { type: 'archive' }, null),
  ),
  reactivate: step(
    'reactivate an archived unit',
    'Reactivated',
    (context, id) => new ChangeOrgUnit(context, id, { type: 'reactivate' }, null),
  ),
};
