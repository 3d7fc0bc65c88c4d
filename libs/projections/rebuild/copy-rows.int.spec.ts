import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import type { Row } from '../projection.js';
import { copyRows } from './copy-rows.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }).map((any) => any.replaceAll('\0', '')),
  fc.constantFrom('', '\\N', 'NULL', 'a\tb\nc\rd\\.', '\\.', '{"a"}', 'ü 日本 🙂'),
);
const COLUMNS: { readonly [column: string]: readonly [type: string, values: fc.Arbitrary<Row[string]>] } = {
  text: ['text', text],
  object: ['jsonb', fc.dictionary(text, fc.oneof(text, fc.integer()), { maxKeys: 3, noNullPrototype: true })],
  list: ['json', fc.array(text, { maxLength: 3 }).map((list) => JSON.stringify(list))],
  texts: ['text[]', fc.array(text, { maxLength: 3 })],
  flag: ['boolean', fc.boolean()],
  whole: ['bigint', fc.maxSafeInteger()],
  number: [
    'double precision',
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => (Object.is(any, -0) ? 0 : any)),
  ],
  bytes: ['bytea', fc.uint8Array({ maxLength: 20 }).map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`)],
};
const NAMES = Object.keys(COLUMNS);

describe('rows that are copied', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    await database.pool.query(
      `create table copied (place integer, ${NAMES.map((name) => `"${name}" ${COLUMNS[name]![0]}`).join(', ')})`,
    );
  });
  afterAll(() => database.drop());

  async function copied(rows: readonly Row[]): Promise<readonly object[]> {
    await database.pool.query('truncate copied');
    const connection = await database.pool.connect();
    try {
      await copyRows(connection, 'copied', ['place', ...NAMES], rows);
      // The connection is usable again.
      return (await connection.query<object>('select * from copied order by place')).rows;
    } finally {
      connection.release();
    }
  }

  it('are read back unchanged', async () => {
    const row = fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.option(COLUMNS[name]![1], { freq: 10 })])));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (made) => {
        const rows = made.map((values, place) => ({ place, ...values }));
        const expected = (rows as readonly Row[]).map(({ list, bytes, ...others }) => ({
          ...others,
          list: typeof list !== 'string' ? null : (JSON.parse(list as string) as unknown),
          bytes: typeof bytes !== 'string' ? null : Buffer.from(bytes.slice(2), 'hex'),
        }));
        expect(await copied(rows)).toEqual(expected.map((values) => expect.objectContaining(values) as object));
      }),
      { numRuns: 60 },
    );
  });

  it('are all refused if one is invalid', async () => {
    await expect(copied([{ place: 1 }, { place: 'many' }])).rejects.toThrow('many');
    expect(await copied([])).toEqual([]);
  });
});
