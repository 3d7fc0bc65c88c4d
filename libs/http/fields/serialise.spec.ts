import fc from 'fast-check';
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
import { compileSerialiser, UnserialisableError } from './serialise.js';

class Reference {
  @IdField('orgUnit')
  readonly id!: string;
  @TextField()
  readonly name!: string;
}

class Sample {
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

const serialise = compileSerialiser(Sample);
const sample = { title: 'a', fte: 0.5, at: new Date(0), unit: { id: 'x', name: 'y', secret: 1 }, marks: ['m'], secret: 1 };

it('writes what is declared, in its order, and nothing else', () => {
  expect(serialise(sample)).toBe('{"title":"a","fte":0.5,"at":"1970-01-01T00:00:00.000Z","unit":{"id":"x","name":"y"},"marks":["m"]}');
  const before = [{ id: 'x', name: 'y', secret: 1 }, 'text', 5, false, null].map(
    (value) => JSON.parse(serialise({ ...sample, before: value })).before as unknown,
  );
  expect(before).toEqual([{ id: 'x', name: 'y' }, 'text', 5, false, null]);
});

it('writes any text as JSON does', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (title) => expect(JSON.parse(serialise({ ...sample, title })).title).toBe(title)));
});

it.each([{ title: undefined }, { title: null }, { title: 5 }, { fte: Number.NaN }, { unit: 'x' }, { marks: 'm' }, { before: { id: 'x' } }])(
  'refuses %j',
  (wrong) => {
    expect(() => serialise({ ...sample, ...wrong })).toThrow(UnserialisableError);
  },
);
