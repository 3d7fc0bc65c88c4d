import { fold } from '#kernel/aggregate.js';
import {
  EMPTY_CONTEXT,
  decideOrgUnit,
  evolveOrgUnit,
  initialOrgUnit,
  type OrgUnit,
  type OrgUnitCommand,
  type OrgUnitEvent,
  type DecisionContext,
} from './org-unit.js';

const UNIT: OrgUnit = { name: 'Engineering', code: 'ENG', parent_id: null, head_id: null };
const CREATED: OrgUnitEvent = { type: 'OrgUnitCreated', data: UNIT };
const ARCHIVED: OrgUnitEvent = { type: 'OrgUnitArchived', data: {} };
const REACTIVATED: OrgUnitEvent = { type: 'OrgUnitReactivated', data: {} };
const PARENT = 'org_unit_parent';

function whenIn(context: Partial<DecisionContext>, command: OrgUnitCommand, ...given: readonly OrgUnitEvent[]) {
  return decideOrgUnit(command, fold({ initial: initialOrgUnit, evolve: evolveOrgUnit }, given), {
    ...EMPTY_CONTEXT,
    ...context,
  });
}

function when(command: OrgUnitCommand, ...given: readonly OrgUnitEvent[]) {
  return whenIn({}, command, ...given);
}

function conflictOf(field: string) {
  return { rejection: { kind: 'conflict', details: [{ field }] } };
}

const USABLE = { isArchived: false, isBelow: false };

describe('an org unit that does not exist', () => {
  it('is created', () => {
    expect(when({ type: 'create', unit: UNIT })).toEqual({ events: [CREATED] });
    expect(whenIn({ parent: USABLE }, { type: 'create', unit: { ...UNIT, parent_id: PARENT } })).toMatchObject({
      events: [{ data: { parent_id: PARENT } }],
    });
  });

  it.each([{ name: '' }, { name: 'x'.repeat(201) }, { code: '' }])('is refused with %j', (fields) => {
    const [field] = Object.keys(fields);
    expect(when({ type: 'create', unit: { ...UNIT, ...fields } })).toMatchObject({
      rejection: { kind: 'invalid_request', details: [{ field }] },
    });
  });

  it('is not created under an archived one', () => {
    expect(
      whenIn({ parent: { ...USABLE, isArchived: true } }, { type: 'create', unit: { ...UNIT, parent_id: PARENT } }),
    ).toMatchObject(conflictOf('parent_id'));
  });

  it('is not found by other commands', () => {
    for (const type of ['archive', 'reactivate'] as const)
      expect(when({ type })).toMatchObject({ rejection: { kind: 'not_found' } });
    expect(when({ type: 'change', changes: { name: 'Other' } })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('an org unit', () => {
  it('is not created again', () => {
    expect(when({ type: 'create', unit: UNIT }, CREATED)).toMatchObject({ rejection: { kind: 'conflict' } });
  });

  it('records only what changes', () => {
    const decision = when(
      { type: 'change', changes: { name: 'Engineering', code: null, head_id: 'abcdefghjkmn' } },
      CREATED,
    );
    expect(decision).toEqual({
      events: [{ type: 'OrgUnitChanged', data: { changes: { code: null, head_id: 'abcdefghjkmn' } } }],
    });
    expect(when({ type: 'change', changes: { name: 'Engineering' } }, CREATED)).toEqual({ events: [] });
  });

  it('moves under another one, and to the top', () => {
    const moved: OrgUnitEvent = { type: 'OrgUnitChanged', data: { changes: { parent_id: PARENT } } };
    expect(whenIn({ parent: USABLE }, { type: 'change', changes: { parent_id: PARENT } }, CREATED)).toEqual({
      events: [moved],
    });
    expect(when({ type: 'change', changes: { parent_id: null } }, CREATED, moved)).toMatchObject({
      events: [{ data: { changes: { parent_id: null } } }],
    });
  });

  it('does not move under itself, what is below it, or what is archived', () => {
    const move: OrgUnitCommand = { type: 'change', changes: { parent_id: PARENT } };
    expect(whenIn({ parent: { ...USABLE, isBelow: true } }, move, CREATED)).toMatchObject(conflictOf('parent_id'));
    expect(whenIn({ parent: { ...USABLE, isArchived: true } }, move, CREATED)).toMatchObject(conflictOf('parent_id'));
  });

  it('is archived once', () => {
    expect(when({ type: 'archive' }, CREATED)).toEqual({ events: [ARCHIVED] });
    expect(when({ type: 'archive' }, CREATED, ARCHIVED)).toMatchObject(conflictOf('archived_at'));
  });

  it('is not archived while active people or units stand in it, and says which', () => {
    expect(whenIn({ activePeople: 2 }, { type: 'archive' }, CREATED)).toMatchObject(conflictOf('people'));
    expect(whenIn({ activeUnits: 1 }, { type: 'archive' }, CREATED)).toMatchObject(conflictOf('org_units'));
    const both = { rejection: { details: [{ field: 'people' }, { field: 'org_units' }] } };
    expect(whenIn({ activePeople: 1, activeUnits: 1 }, { type: 'archive' }, CREATED)).toMatchObject(both);
  });
});

describe('an archived org unit', () => {
  it('is reactivated once', () => {
    expect(when({ type: 'reactivate' }, CREATED, ARCHIVED)).toEqual({ events: [REACTIVATED] });
    expect(when({ type: 'reactivate' }, CREATED)).toMatchObject(conflictOf('archived_at'));
    expect(when({ type: 'reactivate' }, CREATED, ARCHIVED, REACTIVATED)).toMatchObject(conflictOf('archived_at'));
  });

  it('is not reactivated under an archived one', () => {
    expect(
      whenIn({ parent: { ...USABLE, isArchived: true } }, { type: 'reactivate' }, CREATED, ARCHIVED),
    ).toMatchObject(conflictOf('parent_id'));
  });

  it('is not changed', () => {
    expect(when({ type: 'change', changes: { name: 'Other' } }, CREATED, ARCHIVED)).toMatchObject(
      conflictOf('archived_at'),
    );
  });
});
