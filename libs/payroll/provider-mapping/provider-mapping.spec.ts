import { fold } from '#kernel/aggregate.js';
import {
  decideProviderMapping,
  evolveProviderMapping,
  initialProviderMapping,
  type ProviderMapping,
  type ProviderMappingCommand,
  type ProviderMappingEvent,
} from './provider-mapping.js';

const MAPPING: ProviderMapping = {
  provider_name: 'xero',
  resource_type: 'person',
  resource_id: '7k2m9qx4hz1c',
  external_id: 'EMP-1',
  status: 'pending',
  last_synced_at: null,
};
const CREATED: ProviderMappingEvent = { type: 'ProviderMappingCreated', data: MAPPING };
const REMOVED: ProviderMappingEvent = { type: 'ProviderMappingRemoved', data: {} };

function when(command: ProviderMappingCommand, ...given: readonly ProviderMappingEvent[]) {
  return decideProviderMapping(
    command,
    fold({ initial: initialProviderMapping, evolve: evolveProviderMapping }, given),
  );
}

const create = (fields: object = {}): ProviderMappingCommand => ({
  type: 'create',
  mapping: { ...MAPPING, ...fields },
});

describe('a provider mapping that does not exist', () => {
  it('is created', () => expect(when(create())).toEqual({ events: [CREATED] }));

  it.each<object>([
    { provider_name: '' },
    { provider_name: 'Xero' },
    { provider_name: 'x'.repeat(65) },
    { provider_name: 'xero payroll' },
    { resource_type: 'organisation' },
    { resource_id: '' },
    { external_id: ' ' },
    { external_id: 'x'.repeat(256) },
    { external_id: 'a\u0000b' },
    { external_id: 'ada@example.com' },
    { status: 'on' },
    { last_synced_at: 'yesterday' },
    { last_synced_at: '2026-01-31' },
  ])('may not have %j', (fields) => {
    const [field] = Object.keys(fields);
    expect(when(create(fields))).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field }] } });
  });

  it('may have an external id with an at sign where it is no person', () => {
    expect(when(create({ resource_type: 'org_unit', external_id: 'team@sales' }))).toHaveProperty('events');
  });

  it('is not found by other commands', () => {
    for (const command of [{ type: 'change', changes: { status: 'active' } }, { type: 'remove' }] as const) {
      expect(when(command)).toMatchObject({ rejection: { kind: 'not_found' } });
    }
  });
});

describe('a provider mapping', () => {
  it('is not created again', () => {
    expect(when(create({ external_id: 'EMP-2' }), CREATED)).toMatchObject({
      rejection: { kind: 'conflict', details: [{ field: 'resource_id' }] },
    });
  });

  it('records only what changes', () => {
    const changes = { external_id: 'EMP-1', status: 'active', last_synced_at: '2026-01-31T09:30:00.000Z' } as const;
    expect(when({ type: 'change', changes }, CREATED)).toEqual({
      events: [
        {
          type: 'ProviderMappingChanged',
          data: { changes: { status: 'active', last_synced_at: '2026-01-31T09:30:00.000Z' } },
        },
      ],
    });
    expect(when({ type: 'change', changes: { external_id: 'EMP-1', last_synced_at: null } }, CREATED)).toEqual({
      events: [],
    });
    expect(when({ type: 'change', changes: { external_id: 'ada@example.com' } }, CREATED)).toMatchObject({
      rejection: { kind: 'invalid_request' },
    });
  });

  it('is removed once, and created again with what it begins with then', () => {
    expect(when({ type: 'remove' }, CREATED)).toEqual({ events: [REMOVED] });
    expect(when({ type: 'remove' }, CREATED, REMOVED)).toMatchObject({ rejection: { kind: 'not_found' } });
    expect(when({ type: 'change', changes: { status: 'active' } }, CREATED, REMOVED)).toMatchObject({
      rejection: { kind: 'not_found' },
    });
    expect(when(create({ external_id: 'EMP-2' }), CREATED, REMOVED)).toEqual({
      events: [{ ...CREATED, data: { ...MAPPING, external_id: 'EMP-2' } }],
    });
  });
});
