import { fold } from '#kernel/aggregate.js';
import {
  type CustomFieldCommand,
  type CustomFieldEvent,
  decideCustomField,
  evolveCustomField,
  initialCustomField,
  MAX_FIELDS,
  MAX_OPTIONS,
  type CustomFieldChangesInput,
  type CustomFieldInput,
  type FieldOptionInput,
} from './custom-field.js';
import type { CustomField, Sensitivity } from './custom-field.rules.js';

const option = (value: string, label = value.toUpperCase()): FieldOptionInput => ({ id: `cfo_${value}`, value, label });
const offered = (...options: readonly FieldOptionInput[]) => options.map((one) => ({ ...one, is_retired: false }));

const INPUT: CustomFieldInput = {
  key: 'shirt_size',
  field_type: 'single_select',
  label: 'Shirt size',
  description: null,
  sensitivity: 'operational',
  api_access: 'read_write',
  display_order: 10,
  is_required: false,
  options: [option('s'), option('m'), option('l')],
};
const FIELD: CustomField = { ...INPUT, options: offered(option('s'), option('m'), option('l')) };
const CREATED: CustomFieldEvent = { type: 'CustomFieldCreated', data: FIELD };
const TEXT = { ...INPUT, field_type: 'text', options: [] } as const;

function when(command: CustomFieldCommand, ...given: readonly CustomFieldEvent[]) {
  return decideCustomField(command, fold({ initial: initialCustomField, evolve: evolveCustomField }, given));
}
const create = (field: Partial<CustomFieldInput> = {}, others = 0): CustomFieldCommand => ({
  type: 'create',
  field: { ...INPUT, ...field },
  others,
});
const change = (changes: CustomFieldChangesInput): CustomFieldCommand => ({ type: 'change', changes });
const refusalOf = (field: string, kind = 'invalid_request') => ({ rejection: { kind, details: [{ field }] } });

describe('a custom field that does not exist', () => {
  it('is created, with its options in their order', () => {
    expect(when(create())).toEqual({ events: [CREATED] });
    expect(when(create(TEXT))).toMatchObject({ events: [{ data: { field_type: 'text', options: [] } }] });
  });

  it.each<[keyof CustomFieldInput, unknown]>([
    ['key', 'a'],
    ['key', 'Shirt'],
    ['key', '1st'],
    ['key', `a${'b'.repeat(64)}`],
    ['key', 'shirt size'],
    ['key', 'shirt\n'],
    ['label', ''],
    ['label', 'x'.repeat(201)],
    ['description', ' '],
    ['description', 'x'.repeat(1_001)],
    ['description', 'a\u0000'],
    ['field_type', 'money'],
    ['sensitivity', 'secret'],
    ['api_access', 'write'],
    ['display_order', -1],
    ['display_order', 1.5],
    ['options', []],
    ['options', [option('a:b')]],
    ['options', [option('a,b')]],
    ['options', [option('x'.repeat(65))]],
    ['options', [{ ...option('a'), label: '' }]],
    ['options', [option('a'), option('A', 'Other')]],
    ['options', [option('a', 'Same'), option('b', 'same')]],
    ['options', Array.from({ length: MAX_OPTIONS + 1 }, (_, index) => option(`o${index}`))],
  ])('may not have the %s %j', (name, value) => {
    expect(when(create({ [name]: value }))).toMatchObject(refusalOf(name));
  });

  it('takes keys of 2 and of 64 characters', () => {
    for (const key of ['a1', `a${'_'.repeat(63)}`])
      expect(when(create({ key }))).toMatchObject({ events: [{ data: { key } }] });
  });

  it('has no options where it is not a single_select', () => {
    expect(when(create({ ...TEXT, options: [option('a')] }))).toMatchObject(refusalOf('options'));
  });

  it('is not created beyond the most that an organisation may have', () => {
    expect(when(create({}, MAX_FIELDS - 1))).toMatchObject({ events: [{}] });
    expect(when(create({}, MAX_FIELDS))).toMatchObject(refusalOf('key', 'conflict'));
  });

  it('is not found by a change', () => {
    expect(when(change({ label: 'Other' }))).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('a custom field', () => {
  it('is not created again', () => expect(when(create(), CREATED)).toMatchObject(refusalOf('key', 'conflict')));

  it('records only what changes, and nothing where nothing does', () => {
    expect(when(change({ label: 'Shirt size', is_required: true, description: 'Cut.' }), CREATED)).toEqual({
      events: [{ type: 'CustomFieldChanged', data: { changes: { is_required: true, description: 'Cut.' } } }],
    });
    const { key: _, field_type: __, ...same } = INPUT;
    expect(when(change(same), CREATED)).toEqual({ events: [] });
  });

  it('refuses a change to what is not valid', () => {
    expect(when(change({ label: '' }), CREATED)).toMatchObject(refusalOf('label'));
    expect(when(change({ options: [] }), CREATED)).toMatchObject(refusalOf('options'));
  });

  it('has its options added, relabelled and reordered', () => {
    const options = [option('xl'), option('m', 'Medium'), option('s'), option('l')];
    expect(when(change({ options }), CREATED)).toEqual({
      events: [{ type: 'CustomFieldChanged', data: { changes: { options: offered(...options) } } }],
    });
  });

  it('retires an option that is left out, and offers it again with the id that it had', () => {
    const retired = when(change({ options: [option('l')] }), CREATED);
    const expected = [
      ...offered(option('l')),
      { ...option('s'), is_retired: true },
      { ...option('m'), is_retired: true },
    ];
    expect(retired).toEqual({ events: [{ type: 'CustomFieldChanged', data: { changes: { options: expected } } }] });
    const event: CustomFieldEvent = { type: 'CustomFieldChanged', data: { changes: { options: expected } } };
    const again = when(change({ options: [option('l'), option('m', 'Middle')] }), CREATED, event);
    const back = [...offered(option('l'), option('m', 'Middle')), { ...option('s'), is_retired: true }];
    expect(again).toEqual({ events: [{ type: 'CustomFieldChanged', data: { changes: { options: back } } }] });
  });

  it.each<[Sensitivity, Sensitivity, boolean]>([
    ['operational', 'personal', true],
    ['operational', 'demographic', true],
    ['operational', 'payroll', true],
    ['personal', 'demographic', true],
    ['demographic', 'personal', true],
    ['personal', 'operational', false],
    ['demographic', 'operational', false],
    ['payroll', 'operational', false],
    ['personal', 'payroll', false],
    ['payroll', 'personal', false],
  ])('of sensitivity %s may become %s: %s', (before, after, allowed) => {
    const decision = when(change({ sensitivity: after }), {
      type: 'CustomFieldCreated',
      data: { ...FIELD, sensitivity: before },
    });
    expect(decision).toMatchObject(
      allowed ? { events: [{ data: { changes: { sensitivity: after } } }] } : refusalOf('sensitivity', 'conflict'),
    );
  });
});
