import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import type { Row } from '../projection.js';
import { copiedColumns, RowCopy } from './copy-rows.js';

/** By type: values as projections return them. */
const VALUES: { readonly [type: string]: fc.Arbitrary<Row[string]> } = {
  text: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }).map((text) => text.replaceAll('\0', '')),
    fc.constantFrom('', '\\N', 'a\tb\nc\rd\\.', 'ü'.repeat(70)),
  ),
  json: fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }).map((value) => JSON.stringify(value)),
  jsonb: fc.record({ title: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')), minutes: fc.nat() }),
  boolean: fc.boolean(),
  integer: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  bigint: fc.maxSafeInteger(),
  'double precision': fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  date: fc.oneof(dayBetween('0001-01-01', '9999-12-31'), fc.constantFrom('-infinity', 'infinity', '2000-02-29', '2100-03-01')),
  'timestamptz(3)': fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((time) => time.toISOString()),
  daterange: rangeOf(dayBetween('1900-01-01', '2100-12-31')),
  int8range: rangeOf(fc.maxSafeInteger().map(String), (one, other) => Number(one) - Number(other)),
  bytea: fc.uint8Array().map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`),
  uuid: fc.uuid(),
  'text[]': fc.array(
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
    { maxLength: 3 },
  ),
};

function dayBetween(from: string, to: string): fc.Arbitrary<string> {
  return fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }).map((time) => time.toISOString().slice(0, 10));
}

function rangeOf(bound: fc.Arbitrary<string>, order?: (one: string, other: string) => number): fc.Arbitrary<string> {
  return fc.tuple(bound, bound, fc.boolean(), fc.boolean()).map(([one, other, isFrom, isTo]) => {
    const [from, to] = [one, other].sort(order);
    return `[${isFrom ? from! : ''},${isTo ? to! : ''})`;
  });
}

const COLUMNS = Object.keys(VALUES).map((type, index) => ({ name: `c${index}`, type }));
const arbitraryRow = fc.record(Object.fromEntries(COLUMNS.map(({ name, type }) => [name, fc.option(VALUES[type]!, { freq: 10 })])));

describe('rows that are copied', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    for (const table of ['copied', 'inserted'])
      await database.pool.query(`create table ${table} (place integer, ${COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')})`);
  });
  afterAll(() => database.drop());

  async function copy(rows: readonly Row[], names = ['place', ...COLUMNS.map(({ name }) => name)]): Promise<void> {
    const connection = await database.pool.connect();
    try {
      const rowCopy = new RowCopy(connection, 'copied', await copiedColumns(connection, 'copied', names));
      for (const row of rows) await rowCopy.write(row);
      await rowCopy.end();
    } finally {
      connection.release(true);
    }
  }

  it('are the rows that PostgreSQL reads from text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryRow, { minLength: 1, maxLength: 40 }), async (made) => {
        const rows: readonly Row[] = made.map((row, place) => ({ ...row, place }));
        await database.pool.query('truncate copied, inserted');
        await copy(rows);
        // Casts of texts, one statement a row: nothing of the binary format takes part.
        for (const row of rows) {
          const values = COLUMNS.map(({ name, type }) => (type === 'jsonb' && row[name] !== null ? JSON.stringify(row[name]) : row[name]));
          const casts = COLUMNS.map(({ type }, index) => `$${index + 2}::${type}`);
          await database.pool.query(`insert into inserted values ($1, ${casts.join(', ')})`, [row['place'], ...values]);
        }
        const textsOf = async (table: string): Promise<unknown> =>
          (await database.pool.query(`select ${COLUMNS.map(({ name }) => `${name}::text`).join(', ')} from ${table} order by place`)).rows;
        expect(await textsOf('copied')).toEqual(await textsOf('inserted'));
      }),
      { numRuns: 40 },
    );
  });

  it.each<[type: string, value: Row[string]]>([
    ['date', '2026-02-29'],
    ['date', '2026-13-01'],
    ['date', '26-1-1'],
    ['timestamptz(3)', '2026-01-01T00:00:0x.000Z'],
    ['integer', 7.5],
    ['integer', 2 ** 31],
    ['bigint', 2 ** 53],
    ['boolean', 'true'],
    ['double precision', 'many'],
    ['daterange', '(2026-01-01,2026-02-01)'],
  ])('are refused where a %s is %p, which text would be too', async (type, value) => {
    const { name } = COLUMNS.find((column) => column.type === type)!;
    await expect(copy([{ [name]: value }], [name])).rejects.toThrow(RangeError);
  });

  it('are more than fit into one buffer', async () => {
    await database.pool.query('truncate copied');
    const { name } = COLUMNS.find(({ type }) => type === 'text')!;
    await copy(
      Array.from({ length: 300 }, (_, place) => ({ place, [name]: 'long '.repeat(place * 10) })),
      ['place', name],
    );
    const { rows } = await database.pool.query(`select count(*) as rows, sum(length(${name})) as characters from copied`);
    expect(rows).toEqual([{ rows: 300, characters: 2_242_500 }]);
  });
});
