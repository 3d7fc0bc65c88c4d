import {
  boolean,
  BooleanField,
  DateField,
  DateTimeField,
  IntegerField,
  ListField,
  ObjectField,
  OneOfField,
  text,
  TextField,
} from '../fields.js';
import { compileBodyCheck, compileTextCheck } from './check.js';

class Part {
  @TextField({ minimumLength: 1 })
  readonly name!: string;
  @IntegerField({ minimum: 1, optional: true })
  readonly count?: number;
}

class Base {
  @DateField({ nullable: true, optional: true })
  readonly day?: string | null;
}

class IntegerBody extends Base {
  @TextField({ maximumLength: 5 })
  readonly title!: string;
  @ObjectField(() => Part, { nullable: true })
  readonly main!: Part | null;
  @ListField(() => Part, { optional: true, minimumItems: 1, maximumItems: 2 })
  readonly parts?: readonly Part[];
  @ListField(text(), { optional: true, maximumItems: 10 })
  readonly marks?: readonly string[];
  @BooleanField({ optional: true })
  readonly done?: boolean;
  @OneOfField([text(), boolean], { optional: true })
  readonly value?: string | boolean;
}

const check = compileBodyCheck(IntegerBody);
const valid = { title: 'a', main: null };
const issuesOf = (body: unknown) => check(body).issues.map(({ field, issue }) => `${field} ${issue}`);

it('keeps the given fields, in the order of the class, and omits the others', () => {
  const { value, issues } = check({ parts: [{ name: 'p' }], ...valid, day: null });
  expect(issues).toEqual([]);
  expect(JSON.stringify(value)).toBe('{"day":null,"title":"a","main":null,"parts":[{"name":"p"}]}');
});

it.each([
  [undefined, ['body is required']],
  [[], ['body must be an object']],
  [{}, ['title is required', 'main is required']],
  [JSON.parse('{"title":"a","main":null,"__proto__":{}}'), ['__proto__ is not a field of this request']],
  // Issues without a place come first, in the order of the body; then the class's own fields, then inherited
  // ones.
  [
    { day: 'x', title: 'toolong', main: [], other: 1 },
    [
      'main must be an object',
      'other is not a field of this request',
      'title must be at most 5 characters long',
      'day must be a date that exists, written YYYY-MM-DD',
    ],
  ],
  [
    { ...valid, parts: [{ name: '', count: 0, x: 1 }] },
    [
      'parts[0].x is not a field of this request',
      'parts[0].name must not be blank',
      'parts[0].count must be at least 1',
    ],
  ],
  [{ ...valid, parts: [] }, ['parts must have at least 1 items']],
  [{ ...valid, parts: [{}, {}, {}] }, ['parts must have at most 2 items']],
  // A text where an object belongs is reported under its list; a list there is reported under its own path.
  [{ ...valid, parts: ['p', {}] }, ['parts item 0 must be an object', 'parts[1].name is required']],
  [{ ...valid, parts: [[], {}] }, ['parts[0] must be an object', 'parts[1].name is required']],
  [{ ...valid, marks: ['a', 1, 2] }, ['marks item 1 must be a string']],
  [{ ...valid, value: {} }, ['value has a type that is not valid here']],
])('of %j it reports %j', (body, issues) => {
  expect(issuesOf(body)).toEqual(issues);
});

class Filters {
  @DateTimeField({ optional: true })
  readonly updated_since?: string;
  @IntegerField({ optional: true })
  readonly limit?: number;
  @DateField()
  readonly from!: string;
}

describe('a query', () => {
  const read = compileTextCheck(Filters);
  const instant = (text: string) => {
    const { value, issues } = read({ updated_since: text, from: '2026-01-01' });
    return issues.length === 0
      ? (value as Filters).updated_since
      : issues.map(({ field, issue }) => `${field} ${issue}`).join();
  };

  it.each([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.123456+00:00', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31T09:30:00+0000', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00-0530', '2026-01-31T15:00:00.000Z'],
    // A plus sign that was not escaped.
    ['2026-01-31T09:30:00 01:00', '2026-01-31T08:30:00.000Z'],
    ['2026-01-31T09:30:00.5 0000', '2026-01-31T09:30:00.500Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ])('parses the instant %s', (text, expected) => {
    expect(instant(text)).toBe(expected);
  });

  it.each([
    ...['2026-01-31T09:30:00', '2026-01-31 09:30:00', 'yesterday', '1767225600', '2026-02-30'],
    ...['2026-02-30T00:00:00Z', '2026-01-31T09:30:00 1:00', ' '],
  ])('explains the form of an instant for %j', (text) => {
    expect(instant(text)).toMatch(
      /^updated_since must (not be blank|be a date-time with an offset, such as 2026-01-31T09:30:00Z .*%2B.*or a date, such as 2026-01-31)/,
    );
  });

  it('names the permitted range for an instant that is too late', () => {
    expect(instant('9999-12-31T00:00:00Z')).toBe('updated_since must lie between 1900-01-01 and 9998-12-31');
    expect(instant('1899-12-31')).toBe('updated_since must lie between 1900-01-01 and 9998-12-31');
  });

  it('treats an empty parameter as absent, and refuses an unknown one although it is empty', () => {
    expect(read({ updated_since: '', limit: '', from: '2026-01-01' })).toEqual({
      value: { from: '2026-01-01' },
      issues: [],
    });
    expect(read({ from: '', other: '' }).issues).toEqual([
      { field: 'other', issue: 'is not a parameter of this request' },
      { field: 'from', issue: 'is required' },
    ]);
  });
});
