import { fold } from '#kernel/aggregate.js';
import {
  decideLocation,
  evolveLocation,
  initialLocation,
  type Location,
  type LocationCommand,
  type LocationEvent,
} from './location.js';

const LOCATION: Location = {
  label: 'London office',
  address_line_1: '1 Long Lane',
  address_line_2: null,
  address_line_3: null,
  city: 'London',
  region_state: '',
  postal_code: 'EC1A 9HF',
  country_code: 'GB',
  capacity: 40,
};
const CREATED: LocationEvent = { type: 'LocationCreated', data: LOCATION };
const DEACTIVATED: LocationEvent = { type: 'LocationDeactivated', data: {} };

function when(command: LocationCommand, ...given: readonly LocationEvent[]) {
  return decideLocation(command, fold({ initial: initialLocation, evolve: evolveLocation }, given));
}

describe('a location that does not exist', () => {
  it('is created', () => expect(when({ type: 'create', location: LOCATION })).toEqual({ events: [CREATED] }));

  it.each<Partial<Location>>([
    { label: '' },
    { address_line_1: '' },
    { address_line_2: '' },
    { address_line_3: 'a\u0000b' },
    { city: '' },
    { region_state: 'x'.repeat(201) },
    { postal_code: 'x\ny' },
    { country_code: 'UK' },
    { capacity: -1 },
    { capacity: 1.5 },
    { capacity: 1_000_001 },
    { capacity: Number.NaN },
  ])('may not have %j', (fields) => {
    const [field] = Object.keys(fields);
    expect(when({ type: 'create', location: { ...LOCATION, ...fields } })).toMatchObject({
      rejection: { kind: 'invalid_request', details: [{ field }] },
    });
  });

  it('is not found by other commands', () => {
    expect(when({ type: 'deactivate' })).toMatchObject({ rejection: { kind: 'not_found' } });
    expect(when({ type: 'change', changes: { label: 'Other' } })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('a location', () => {
  it('is not created again', () => {
    expect(when({ type: 'create', location: LOCATION }, CREATED)).toMatchObject({ rejection: { kind: 'conflict' } });
  });

  it('records only what changes', () => {
    const changes = { label: 'London office', capacity: null, region_state: 'Greater London' };
    expect(when({ type: 'change', changes }, CREATED)).toEqual({
      events: [{ type: 'LocationChanged', data: { changes: { capacity: null, region_state: 'Greater London' } } }],
    });
    expect(when({ type: 'change', changes: { city: 'London' } }, CREATED)).toEqual({ events: [] });
    expect(when({ type: 'change', changes: { city: '' } }, CREATED)).toMatchObject({
      rejection: { kind: 'invalid_request' },
    });
  });

  it('is deactivated and reactivated, each once', () => {
    expect(when({ type: 'deactivate' }, CREATED)).toEqual({ events: [DEACTIVATED] });
    expect(when({ type: 'deactivate' }, CREATED, DEACTIVATED)).toEqual({ events: [] });
    expect(when({ type: 'reactivate' }, CREATED)).toEqual({ events: [] });
    expect(when({ type: 'reactivate' }, CREATED, DEACTIVATED)).toEqual({
      events: [{ type: 'LocationReactivated', data: {} }],
    });
  });
});
