import { fold } from '#kernel/decider.js';
import { decideOrgUnit, evolveOrgUnit, initialOrgUnit, type OrgUnit, type OrgUnitCommand, type OrgUnitEvent } from './org-unit.decider.js';

const UNIT: OrgUnit = { name: 'Engineering', code: 'ENG', parent_id: null, head_id: null };
const CREATED: OrgUnitEvent = { type: 'OrgUnitCreated', data: UNIT };
const ARCHIVED: OrgUnitEvent = { type: 'OrgUnitArchived', data: {} };
const REACTIVATED: OrgUnitEvent = { type: 'OrgUnitReactivated', data: {} };

function when(command: OrgUnitCommand, ...given: readonly OrgUnitEvent[]) {
  return decideOrgUnit(command, fold({ initial: initialOrgUnit, evolve: evolveOrgUnit }, given));
}

describe('an org unit that is not there', () => {
  it('is created', () => {
    expect(when({ type: 'create', unit: UNIT })).toEqual({ events: [CREATED] });
  });

  it.each([{ name: '' }, { name: 'x'.repeat(201) }, { code: '' }])('is refused with %j', (fields) => {
    const [field] = Object.keys(fields);
    expect(when({ type: 'create', unit: { ...UNIT, ...fields } })).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field }] } });
  });

  it('is not found by other commands', () => {
    for (const type of ['archive', 'reactivate'] as const) expect(when({ type })).toMatchObject({ rejection: { kind: 'not_found' } });
    expect(when({ type: 'change', changes: { name: 'Other' } })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('an org unit', () => {
  it('is not created again', () => {
    expect(when({ type: 'create', unit: UNIT }, CREATED)).toMatchObject({ rejection: { kind: 'conflict' } });
  });

  it('records only what changes', () => {
    const decision = when({ type: 'change', changes: { name: 'Engineering', code: null, head_id: 'abcdefghjkmn' } }, CREATED);
    expect(decision).toEqual({ events: [{ type: 'OrgUnitChanged', data: { changes: { code: null, head_id: 'abcdefghjkmn' } } }] });
    expect(when({ type: 'change', changes: { name: 'Engineering' } }, CREATED)).toEqual({ events: [] });
  });

  it('is archived and reactivated, each once', () => {
    expect(when({ type: 'archive' }, CREATED)).toEqual({ events: [ARCHIVED] });
    expect(when({ type: 'archive' }, CREATED, ARCHIVED)).toEqual({ events: [] });
    expect(when({ type: 'reactivate' }, CREATED)).toEqual({ events: [] });
    expect(when({ type: 'reactivate' }, CREATED, ARCHIVED)).toEqual({ events: [REACTIVATED] });
  });
});
