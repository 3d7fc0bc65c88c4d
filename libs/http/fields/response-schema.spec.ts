import fc from 'fast-check';
import fastJsonStringify from 'fast-json-stringify';
import {
  DateTimeField,
  IdField,
  ListField,
  NumberField,
  object,
  ObjectField,
  OneOfField,
  TextField,
  text,
  boolean,
  integer,
} from '../fields.js';
import { responseSchemaOf } from './response-schema.js';

class Reference {
  @IdField('orgUnit')
  readonly id!: string;
  @TextField()
  readonly name!: string;
}

class Sample {
  @TextField({ optional: true })
  readonly note?: string;
  @TextField()
  readonly title!: string;
  @NumberField({ nullable: true })
  readonly fte!: number | null;
  @DateTimeField()
  readonly at!: string;
  @ObjectField(() => Reference, { nullable: true })
  readonly unit!: Reference | null;
  @ListField(text(), { maximumItems: 10 })
  readonly marks!: readonly string[];
  @OneOfField([object(() => Reference), text(), integer(), boolean], { nullable: true, optional: true })
  readonly before?: unknown;
}

const writeSingle = fastJsonStringify(responseSchemaOf(Sample, 'single'));
const serialise = (data: unknown): string => writeSingle({ data }).slice('{"data":'.length, -1);
const sample = {
  title: 'a',
  fte: 0.5,
  at: new Date(0),
  unit: { id: 'x', name: 'y', secret: 1 },
  marks: ['m'],
  secret: 1,
};

it('writes the declared fields only, in their order', () => {
  expect(serialise({ ...sample, note: 'n' })).toBe('{"note":"n",' + serialise(sample).slice(1));
  expect(serialise(sample)).toBe(
    '{"title":"a","fte":0.5,"at":"1970-01-01T00:00:00.000Z","unit":{"id":"x","name":"y"},"marks":["m"]}',
  );
  const before = [{ id: 'x', name: 'y', secret: 1 }, 'text', 5, false, null].map(
    (value) => JSON.parse(serialise({ ...sample, before: value })).before as unknown,
  );
  expect(before).toEqual([{ id: 'x', name: 'y' }, 'text', 5, false, null]);
});

it('writes a list, and a page with its next cursor', () => {
  const of = (kind: 'list' | 'page') => fastJsonStringify(responseSchemaOf(Reference, kind));
  const data = [{ id: 'x', name: 'y', secret: 1 }];
  const written = '{"data":[{"id":"x","name":"y"}]';
  expect(of('list')({ data, secret: 1 })).toBe(`${written}}`);
  expect(of('page')({ data, pagination: { next_cursor: 'a"b' } })).toBe(
    `${written},"pagination":{"next_cursor":"a\\"b"}}`,
  );
  expect(of('page')({ data: [], pagination: {} })).toBe('{"data":[],"pagination":{}}');
});

it('writes any text as JSON does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (title) =>
      expect(JSON.parse(serialise({ ...sample, title })).title).toBe(title),
    ),
  );
});

it.each([
  ...[
    { title: undefined },
    { title: null },
    { title: 5 },
    { title: new Date(0) },
    { title: Buffer.from('a') },
    { note: null },
  ],
  ...[{ fte: Number.NaN }, { fte: '1' }, { at: 0 }, { at: null }, { at: Buffer.from('a') }],
  ...[
    { unit: 'x' },
    { unit: { id: 'x' } },
    { marks: 'm' },
    { marks: null },
    { marks: [undefined] },
    { before: { id: 'x' } },
    { before: [] },
  ],
])('refuses %j', (wrong) => {
  expect(() => serialise({ ...sample, ...wrong })).toThrow('does not match schema definition');
});
