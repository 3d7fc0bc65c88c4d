import {
  boolean,
  choice,
  defineFields,
  integer,
  list,
  name,
  nameOutside,
  orNull,
  reference,
  text,
} from './field-list.js';

const ROOM = defineFields({
  label: name({ maximumLength: 10 }),
  floor: orNull(name({ mayBeEmpty: true })),
  door: orNull(name({})),
  colour: orNull(
    text({
      normalise: (colour) => colour.toLowerCase(),
      problem: (colour) => (colour === 'red' ? null : 'must be red'),
    }),
  ),
  seats: integer({ minimum: 0, maximum: 9, initial: 1 }),
  is_quiet: boolean({ initial: false }),
  kind: choice(['office', 'lab'], { initial: 'office' }),
  unit_id: orNull(reference('orgUnit', { outside: 'unit' })),
  tags: list<string>({ initial: [] }),
});

it('stores a list as JSON, and every other field as it is', () => {
  const { tags, ...others } = ROOM.columns;
  expect(tags).toBe('list');
  expect(new Set(Object.values(others))).toEqual(new Set(['value']));
});

it('has initial values for all fields but those that a creation requires', () => {
  expect(ROOM.initial).toEqual({
    floor: null,
    door: null,
    colour: null,
    seats: 1,
    is_quiet: false,
    kind: 'office',
    unit_id: null,
    tags: [],
  });
});

it('normalises given fields in the order of the list, and omits the others', () => {
  const given = { seats: 2, colour: 'RED', door: '  ', label: ' Blue   room ', kind: undefined };
  expect(Object.entries(ROOM.normalise(given as never))).toEqual([
    ['label', 'Blue room'],
    ['door', null],
    ['colour', 'red'],
    ['seats', 2],
  ]);
});

it('keeps a blank text of a field without a minimum length, so that the rule of the field refuses it', () => {
  expect(ROOM.normalise({ colour: '' })).toEqual({ colour: '' });
  expect(ROOM.rejection({ colour: '' })?.details).toEqual([{ field: 'colour', issue: 'must be red' }]);
});

it.each([
  [{ label: '' }, 'must not be blank'],
  [{ label: 'x'.repeat(11) }, 'must be at most 10 characters long'],
  [{ door: 'a\u0000b' }, 'must not contain control characters'],
  [{ seats: 10 }, 'must be a whole number from 0 to 9'],
  [{ seats: Number.NaN }, 'must be a whole number from 0 to 9'],
  [{ is_quiet: null }, 'must be true or false'],
  [{ kind: 'hall' }, 'must be one of: office, lab'],
])('refuses %j: %s', (given, issue) => {
  const [field] = Object.keys(given);
  expect(ROOM.issues(given as never)).toEqual([{ field, issue }]);
});

it('accepts null and an empty text if the field allows them', () => {
  expect(ROOM.rejection({ door: null, floor: '', unit_id: null })).toBeNull();
});

it('returns the public name of a field', () => {
  expect([nameOutside(ROOM, 'unit_id'), nameOutside(ROOM, 'label')]).toEqual(['unit', 'label']);
});
