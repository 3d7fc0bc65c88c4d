import fc from 'fast-check';
import { fixedRing } from '../../test/support/fixed-ring.js';
import { CursorCodec } from './cursors/cursor.js';
import { byCreatedAt, byUpdatedAt, isText, isSafeInteger, type PagedList, type PageQuery, readPage } from './pages.js';

interface Row {
  readonly name: string;
  readonly revision: number;
}
type Place = Row;

const cursors = new CursorCodec(fixedRing(Buffer.alloc(32, 1)));
const list: PagedList<Place, Row> = {
  route: 'listRows',
  place: { name: isText, revision: isSafeInteger },
  placeOf: ({ name, revision }) => ({ name, revision }),
};
const scope = { organisationId: 'org_a', route: 'listRows', filters: {} };
/** A cursor of the list with these values, valid or not. */
const cursorOf = (...values: readonly (string | number | null)[]): Promise<string> => cursors.encode(scope, values);
const comesAfter = (one: Row, other: Row): boolean =>
  one.name === other.name ? one.revision > other.revision : one.name > other.name;

function page(rows: readonly Row[], query: PageQuery, asked: number[] = []) {
  return readPage(cursors, list, { organisationId: 'org_a', filters: {}, query }, async (after, count) => {
    asked.push(count);
    return rows.filter((row) => after === null || comesAfter(row, after)).slice(0, count);
  });
}

it('returns every row once, page by page, and no empty last page', async () => {
  const names = fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b'), revision: fc.nat({ max: 20 }) }), {
    selector: ({ name, revision }) => `${name}${revision}`,
  });
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 1, max: 5 }), async (drawn, limit) => {
      const rows = [...drawn].sort((one, other) => (comesAfter(one, other) ? 1 : -1));
      const shown: Row[] = [];
      for (let place: { readonly cursor?: string } = {}; ;) {
        const { rows: some, nextCursor } = await page(rows, { limit, ...place });
        shown.push(...some);
        expect(some).toHaveLength(nextCursor === null ? rows.length - (shown.length - some.length) : limit);
        if (nextCursor === null) break;
        place = { cursor: nextCursor };
      }
      expect(shown).toEqual(rows);
    }),
  );
});

it('has 50 rows by default', async () => {
  const rows = Array.from({ length: 51 }, (_, revision) => ({ name: 'a', revision }));
  expect((await page(rows, {})).rows).toHaveLength(50);
});

it('refuses a cursor with the values of another list, before it reads', async () => {
  const asked: number[] = [];
  for (const values of [['a'], ['a', 1, 'b'], [1, 1], ['a', '1'], ['a', 1.5], [null, 1], []]) {
    await expect(page([], { cursor: await cursorOf(...values) }, asked)).rejects.toMatchObject({
      status: 400,
      details: [{ field: 'cursor', issue: expect.stringContaining('is not a cursor of this list') as string }],
    });
  }
  expect(asked).toEqual([]);
});

it('accepts and creates cursors in the form that clients hold already', async () => {
  const rows = [1, 2, 3].map((revision) => ({ name: 'a', revision }));
  const { nextCursor } = await page(rows, { limit: 2 });
  expect(nextCursor).toBe(await cursorOf('a', 2));
  expect(Buffer.from(nextCursor!, 'base64url').subarray(16).toString()).toBe('["a",2]');
});

describe('the place of a row', () => {
  const at = new Date('2026-01-31T09:30:00Z');
  const values = (place: object) => JSON.stringify(Object.values(place));

  it('is the time of creation and the id', () => {
    const { place, placeOf } = byCreatedAt('listRows');
    expect(values(placeOf({ created_at: at, id: 'x' }, null))).toBe('["2026-01-31T09:30:00.000Z","x"]');
    expect(Object.keys(place)).toEqual(['createdAt', 'id']);
  });

  it('is the sort value, the id and the time up to which the first page reads', () => {
    const { place, placeOf } = byUpdatedAt('listRows');
    const first = placeOf({ time: at, id: 'x', horizon: new Date('2026-02-01T00:00:00Z') }, null);
    expect(values(first)).toBe('["2026-01-31T09:30:00.000Z","x","2026-02-01T00:00:00.000Z"]');
    expect(values(placeOf({ time: '2026-03-01', id: 'y', horizon: null }, first))).toBe(
      '["2026-03-01","y","2026-02-01T00:00:00.000Z"]',
    );
    expect(values(placeOf({ time: at, id: 'x', horizon: null }, null))).toBe('["2026-01-31T09:30:00.000Z","x",null]');
    expect(Object.keys(place)).toEqual(['time', 'id', 'horizon']);
  });
});
