import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { plainArray, textArray } from './arrays.js';
import { sqlState } from './errors.js';

const INVALID_TEXT = '22021';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function readBack(type: string, value: unknown): Promise<unknown> {
  const { rows } = await database.pool.query<{ value: unknown }>(`select $1::${type} as value`, [value]);
  return rows[0]!.value;
}

describe('texts as a parameter', () => {
  it('arrive as they are: quotes, backslashes, braces, other alphabets, nulls, and none at all', async () => {
    const texts = ['', 'NULL', null, '{"a":"\\"b\\\\"}', "it's, {braces}", 'Zoë 日本 🙂', ' blanks '];
    expect(await readBack('text[]', textArray(texts))).toEqual(texts);
    expect(await readBack('text[]', textArray([undefined, 'x']))).toEqual([null, 'x']);
    expect(await readBack('text[]', textArray([]))).toEqual([]);
  });

  it('arrive as they are, whatever they are', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 }).map((any) => any.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { maxLength: 20 }), async (texts) => {
        expect(await readBack('text[]', textArray(texts))).toEqual(texts);
      }),
      { numRuns: 100 },
    );
  });

  it('are refused by PostgreSQL where one has U+0000, as other texts are', async () => {
    const error: unknown = await readBack('text[]', textArray(['a\0b'])).catch((caught: unknown) => caught);
    expect(sqlState(error)).toBe(INVALID_TEXT);
  });
});

it('numbers and UUIDs arrive as they are', async () => {
  const ids = ['5f0f4d5c-1c8e-4f6d-9d0b-6a1f7f3c2b10', '00000000-0000-4000-8000-000000000000'];
  expect(await readBack('uuid[]::text[]', plainArray(ids))).toEqual(ids);
  expect(await readBack('int[]', plainArray([1, -2, 0]))).toEqual([1, -2, 0]);
  expect(await readBack('int[]', plainArray([]))).toEqual([]);
});
