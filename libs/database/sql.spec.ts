import { allOf, joined, prepared, raw, sql } from './sql.js';

describe('SQL of parts', () => {
  it('numbers the values of all parts in their order', () => {
    const part = sql`b = ${2} or ${raw('c')} = ${3}`;
    const { text, values } = sql`select a from t where a = ${1} and (${part}) limit ${4}`;
    expect(text).toBe('select a from t where a = $1 and (b = $2 or c = $3) limit $4');
    expect(values).toEqual([1, 2, 3, 4]);
  });

  it('joins conditions, also a single one, and never takes a part for a value', () => {
    expect(allOf([sql`a = ${1}`]).text).toBe('a = $1');
    expect(joined([sql`a = ${1}`, sql``, sql`${null}`], ' | ')).toMatchObject({
      text: 'a = $1 |  | $2',
      values: [1, null],
    });
    expect(sql`select ${'; drop table people'}`).toMatchObject({ text: 'select $1', values: ['; drop table people'] });
  });

  it('has one name for one text, whatever its values', () => {
    const named = (value: number): unknown => prepared(sql`select ${value}`).name;
    expect(named(1)).toBe(named(2));
    expect(prepared(sql`select ${1}, 1`).name).not.toBe(named(1));
  });
});
