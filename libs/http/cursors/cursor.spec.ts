import fc from 'fast-check';
import { fixedRing } from '../../../test/support/fixed-ring.js';
import { CursorCodec, type CursorScope } from './cursor.js';
import { HttpError } from '../errors.js';

const codec = new CursorCodec(fixedRing(Buffer.alloc(32, 1)));
const scope: CursorScope = { organisationId: 'org_a', route: 'listPeople', filters: { sort: null } };
const refused = async (cursor: string, of: CursorScope = scope, by = codec): Promise<boolean> => {
  try {
    await by.decode(of, cursor);
    return false;
  } catch (error) {
    return error instanceof HttpError && error.status === 400 && error.details[0]?.field === 'cursor';
  }
};

it('returns the encoded values', async () => {
  const values = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)));
  await fc.assert(
    fc.asyncProperty(values, async (place) =>
      expect(await codec.decode(scope, await codec.encode(scope, place))).toEqual(place),
    ),
  );
});

it('refuses a cursor of another organisation, route, filter or installation', async () => {
  const cursor = await codec.encode(scope, [1]);
  expect(await refused(cursor, { ...scope, organisationId: 'org_b' })).toBe(true);
  expect(await refused(cursor, { ...scope, route: 'listDocuments' })).toBe(true);
  expect(await refused(cursor, { ...scope, filters: { sort: 'updated_at_desc' } })).toBe(true);
  expect(await refused(cursor, scope, new CursorCodec(fixedRing(Buffer.alloc(32, 2))))).toBe(true);
});

it('refuses an edited, truncated, padded or invented cursor', async () => {
  const cursor = await codec.encode(scope, ['2026-01-31', 'id']);
  for (let index = 0; index < cursor.length; index += 1) {
    expect(await refused(cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1))).toBe(
      true,
    );
    expect(await refused(cursor.slice(0, index))).toBe(true);
  }
  for (const other of [`${cursor}=`, `${cursor} `, 'x'.repeat(5_000)]) expect(await refused(other)).toBe(true);
});

describe('with a ring of several keys', () => {
  const keys = new Map([
    [1, Buffer.alloc(32, 1)],
    [2, Buffer.alloc(32, 2)],
  ]);
  const ring = {
    current: async () => ({ version: 2, secret: keys.get(2)! }),
    find: async (version: number) => keys.get(version) ?? null,
  };

  it('creates cursors with the newest key, and accepts those from before there were versions', async () => {
    const later = new CursorCodec(ring);
    const cursor = await later.encode(scope, ['a']);
    expect(cursor).toMatch(/^2\.[\w-]+$/);
    expect(await later.decode(scope, cursor)).toEqual(['a']);
    const earlier = await codec.encode(scope, ['a']);
    expect(earlier).toMatch(/^[\w-]+$/);
    expect(await later.decode(scope, earlier)).toEqual(['a']);
  });

  it('refuses an unknown version, a version other than that of the cursor, and a second spelling', async () => {
    const later = new CursorCodec(ring);
    const cursor = await later.encode(scope, ['a']);
    const text = cursor.slice(2);
    for (const other of [
      text,
      `1.${text}`,
      `3.${text}`,
      `02.${text}`,
      `2.2.${text}`,
      `2.${text}=`,
      '2.',
      `99999.${text}`,
    ])
      expect(await refused(other, scope, later)).toBe(true);
    const earlier = await codec.encode(scope, ['a']);
    expect(await refused(`1.${earlier}`, scope, later)).toBe(true);
    keys.delete(1);
    expect(await refused(earlier, scope, later)).toBe(true);
  });
});
