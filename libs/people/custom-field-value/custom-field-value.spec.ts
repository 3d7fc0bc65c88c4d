import fc from 'fast-check';
import { fold } from '#kernel/aggregate.js';
import { isBlank, linesProblem } from '#kernel/plain-text.js';
import { SCOPES, type Scope } from '#kernel/scopes.js';
import type { Definition } from '#organisation/custom-field/custom-field.rules.js';
import {
  type CustomFieldValuesEvent,
  decideCustomFieldValues,
  evolveCustomFieldValues,
  initialCustomFieldValues,
  type SetValues,
  type ValuesByField,
  type Writer,
} from './custom-field-value.js';
import type { FieldValue } from './custom-field-value.rules.js';

function field(id: string, definition: Partial<Definition> = {}): Definition {
  return {
    id,
    key: id,
    field_type: 'text',
    sensitivity: 'operational',
    api_access: 'read_write',
    is_required: false,
    options: [],
    ...definition,
  };
}
const optionOf = (value: string, isRetired = false) => ({
  id: `cfo_${value}`,
  value,
  label: value.toUpperCase(),
  is_retired: isRetired,
});

const FIELDS: readonly Definition[] = [
  field('text'),
  field('number', { field_type: 'number' }),
  field('date', { field_type: 'date' }),
  field('flag', { field_type: 'boolean' }),
  field('size', { field_type: 'single_select', options: [optionOf('s'), optionOf('m'), optionOf('xs', true)] }),
  field('required', { is_required: true }),
  field('read_only', { api_access: 'read' }),
  field('hidden', { api_access: 'hidden' }),
  field('personal', {
    sensitivity: 'personal',
    field_type: 'single_select',
    options: [optionOf('a'), optionOf('b', true)],
  }),
  field('demographic', { sensitivity: 'demographic' }),
  field('payroll', { sensitivity: 'payroll' }),
];
const EVERY_SCOPE: Writer = { type: 'api_key', scopes: new Set(SCOPES) };
const keyOf = (...scopes: readonly Scope[]): Writer => ({ type: 'api_key', scopes: new Set(scopes) });
const OPERATOR: Writer = { type: 'operator' };

const changed = (values: ValuesByField): CustomFieldValuesEvent => ({
  type: 'PersonCustomFieldsChanged',
  data: { values },
});

type Requested = ValuesByField | readonly (readonly [id: string, value: FieldValue | null])[];

function whenBy(writer: Writer, requested: Requested, ...given: readonly CustomFieldValuesEvent[]) {
  const pairs = Array.isArray(requested) ? (requested as [string, FieldValue | null][]) : Object.entries(requested);
  const values = pairs.map(([field_id, value]) => ({ field_id, value }));
  const command: SetValues = { type: 'set', values, fields: FIELDS, writer };
  return decideCustomFieldValues(command, after(given));
}
const after = (given: readonly CustomFieldValuesEvent[]) =>
  fold({ initial: initialCustomFieldValues, evolve: evolveCustomFieldValues }, given);
const when = (values: Requested, ...given: readonly CustomFieldValuesEvent[]) => whenBy(EVERY_SCOPE, values, ...given);
const invalid = (...details: readonly object[]) => ({ rejection: { kind: 'invalid_request', details } });

describe('a person without values', () => {
  it.each<[string, FieldValue]>([
    ['text', 'any\ntext'],
    ['text', 'x'.repeat(2_000)],
    ['number', -0.5],
    ['number', 123_456_789_012_345],
    ['date', '2024-02-29'],
    ['flag', false],
    ['size', 'm'],
    ['required', 'x'],
    ['personal', 'a'],
  ])('is given %s %j', (id, value) => {
    expect(when([[id, value]])).toEqual({ events: [changed({ [id]: value })] });
  });

  it.each<[string, FieldValue | null, string]>([
    ['text', 5, 'must be a string'],
    ['text', ' ', 'must not be blank: null clears the value'],
    ['text', 'x'.repeat(2_001), 'must be at most 2000 characters long'],
    ['text', 'a\u0000', 'must not contain control characters'],
    ['number', '5', 'must be a number'],
    ['number', Number.NaN, 'must be a number'],
    ['number', Number.POSITIVE_INFINITY, 'must be a number'],
    ['number', 0.1 + 0.2, 'must have at most 15 significant digits'],
    ['number', 1_234_567_890_123_456, 'must have at most 15 significant digits'],
    ['date', '2026-02-30', 'must be a date that exists, written YYYY-MM-DD'],
    ['date', '1899-12-31', 'must lie between 1900-01-01 and 9998-12-31'],
    ['flag', 'true', 'must be true or false'],
    ['flag', 1, 'must be true or false'],
    ['size', 'M', "must be the value of one of the field's options"],
    ['size', 'cfo_m', "must be the value of one of the field's options"],
    ['size', 'xs', "must be the value of one of the field's options"],
    ['required', null, 'is required and cannot be cleared'],
  ])('refuses the %s value %j: it %s', (id, value, issue) => {
    expect(when([[id, value]])).toMatchObject(invalid({ field: 'values[0].value', issue }));
  });

  it('has nothing to clear', () => expect(when({ text: null })).toEqual({ events: [] }));

  it('refuses a hidden field with the message of an unknown one, a read-only one, and a field named twice', () => {
    const unknown = { field: 'values[0].field_id', issue: 'there is no such custom field' };
    expect(when({ nobodys: 'x' })).toEqual(when({ hidden: 'x' }));
    expect(when({ hidden: 'x' })).toMatchObject(invalid(unknown));
    for (const id of ['constructor', '__proto__']) expect(when([[id, null]])).toMatchObject(invalid(unknown));
    expect(when({ read_only: 'x' })).toMatchObject(
      invalid({ field: 'values[0].field_id', issue: 'this custom field is read-only' }),
    );
    expect(
      when([
        ['text', 'x'],
        ['text', 'x'],
      ]),
    ).toMatchObject(invalid({ field: 'values[1].field_id', issue: 'names a custom field that was already named' }));
  });

  it('records all values of a command or none, and names every refused one', () => {
    expect(when({ text: 'x', number: 1 })).toEqual({ events: [changed({ text: 'x', number: 1 })] });
    expect(when({ text: 'x', number: 'x', nobodys: 1 })).toMatchObject(
      invalid({ field: 'values[1].value' }, { field: 'values[2].field_id' }),
    );
  });
});

describe('a person with values', () => {
  const given = changed({ text: 'old', size: 'xs', flag: false });

  it('records only values that differ', () => {
    expect(when({ text: 'new', flag: false }, given)).toEqual({ events: [changed({ text: 'new' })] });
    expect(when({ text: 'old', flag: false, number: null }, given)).toEqual({ events: [] });
  });

  it('clears them once', () => {
    expect(when({ text: null }, given)).toEqual({ events: [changed({ text: null })] });
    expect(when({ text: null }, given, changed({ text: null }))).toEqual({ events: [] });
  });

  it('keeps a retired option, and cannot get it back after a change', () => {
    expect(when({ size: 'xs' }, given)).toEqual({ events: [] });
    expect(when({ size: 'xs' }, given, changed({ size: 'm' }))).toMatchObject(invalid({ field: 'values[0].value' }));
  });
});

describe('a writer', () => {
  it('needs the scope for reading the values', () => {
    for (const id of ['personal', 'demographic'] as const) {
      expect(whenBy(keyOf('custom_fields:write'), [[id, 'a']])).toMatchObject({
        rejection: {
          kind: 'permission_denied',
          details: [{ field: 'values[0].field_id', issue: 'needs the scope people:personal:read' }],
        },
      });
      expect(whenBy(keyOf('custom_fields:write', 'people:personal:read'), [[id, 'a']])).toMatchObject({ events: [{}] });
    }
    expect(whenBy(keyOf('people:personal:read'), { payroll: 'a' })).toMatchObject({
      rejection: { details: [{ issue: 'needs the scope payroll_exports:read' }] },
    });
    expect(whenBy(keyOf('payroll_exports:read'), { payroll: 'a' })).toMatchObject({ events: [{}] });
  });

  it('reveals nothing about existing values without that scope', () => {
    const tries = ['a', 'b', 'c', null]
      .map((value) => [
        whenBy(keyOf(), { personal: value }),
        whenBy(keyOf(), { personal: value }, changed({ personal: 'b' })),
      ])
      .flat();
    for (const one of tries) expect(one).toEqual(tries[0]);
  });

  it('an operator writes every field, hidden and read-only ones too, by the same rules', () => {
    expect(whenBy(OPERATOR, { hidden: 'x', read_only: 'y', payroll: 'z' })).toMatchObject({ events: [{}] });
    expect(whenBy(OPERATOR, { hidden: 5 })).toMatchObject(
      invalid({ field: 'values[0].value', issue: 'must be a string' }),
    );
  });
});

it('a command sets the requested values after any history, and a repeat records nothing', () => {
  const value = fc.oneof(
    fc.constant(null),
    fc.string({ minLength: 1 }).filter((one) => !isBlank(one) && linesProblem(one) === null),
  );
  const commands = fc.array(fc.dictionary(fc.constantFrom('text', 'demographic', 'payroll'), value, { minKeys: 1 }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(commands, (sets) => {
      const events: CustomFieldValuesEvent[] = [];
      const expected: Record<string, FieldValue | null> = {};
      for (const set of sets) {
        Object.assign(expected, set);
        for (const isRepeat of [false, true]) {
          const decision = when(Object.entries(set), ...events);
          if (!('events' in decision)) throw new Error(decision.rejection.message);
          if (isRepeat) expect(decision.events).toEqual([]);
          events.push(...decision.events);
        }
      }
      const { values } = after(events);
      for (const [id, requested] of Object.entries(expected)) expect(values[id] ?? null).toBe(requested);
    }),
    { numRuns: 300 },
  );
});
