import fc from 'fast-check';
import { CursorCodec, type CursorScope } from './cursor.js';
import { HttpError } from './errors.js';

const codec = new CursorCodec(Buffer.alloc(32, 1));
const scope: CursorScope = { organisationId: 'org_a', route: 'listPeople', filters: { sort: null } };
const refused = (cursor: string, of: CursorScope = scope, by = codec): boolean => {
  try {
    by.decode(of, cursor);
    return false;
  } catch (error) {
    return error instanceof HttpError && error.status === 400 && error.details[0]?.field === 'cursor';
  }
};

it('gives back what it was given', () => {
  const values = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)));
  fc.assert(fc.property(values, (place) => expect(codec.decode(scope, codec.encode(scope, place))).toEqual(place)));
});

it('takes no cursor of another organisation, route, filter or installation', () => {
  const cursor = codec.encode(scope, [1]);
  expect(refused(cursor, { ...scope, organisationId: 'org_b' })).toBe(true);
  expect(refused(cursor, { ...scope, route: 'listDocuments' })).toBe(true);
  expect(refused(cursor, { ...scope, filters: { sort: 'updated_at_desc' } })).toBe(true);
  expect(refused(cursor, scope, new CursorCodec(Buffer.alloc(32, 2)))).toBe(true);
});

it('takes no edited, cut, padded or made-up cursor', () => {
  const cursor = codec.encode(scope, ['2026-01-31', 'id']);
  for (let index = 0; index < cursor.length; index += 1) {
    expect(refused(cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1))).toBe(true);
    expect(refused(cursor.slice(0, index))).toBe(true);
  }
  for (const other of [`${cursor}=`, `${cursor} `, 'x'.repeat(5_000)]) expect(refused(other)).toBe(true);
});
