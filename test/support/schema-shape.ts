import type { Pool } from 'pg';

/** The parts of a schema that a program relies on: one line for each, by its name. */
export type SchemaShape = ReadonlyMap<string, string>;

/** Columns with their types, functions with their results, and the constraints on rows. */
const DESCRIBE = `
select 'column ' || c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as form
  from pg_attribute a join pg_class c on c.oid = a.attrelid
 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p') and a.attnum > 0 and not a.attisdropped
union all
select 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', pg_get_function_result(p.oid)
  from pg_proc p where p.pronamespace = 'public'::regnamespace
union all
select 'demand on ' || c.relname || ': not null ' || a.attname, ''
  from pg_attribute a join pg_class c on c.oid = a.attrelid
 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
   and a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = ''
union all
select 'demand on ' || n.conrelid::regclass || ': ' || pg_get_constraintdef(n.oid), ''
  from pg_constraint n join pg_class c on c.oid = n.conrelid
 where c.relnamespace = 'public'::regnamespace and n.contype in ('c', 'f', 'u', 'p', 'x')
union all
select 'demand on ' || i.indrelid::regclass || ': ' || regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE UNIQUE INDEX \\S+ ', 'unique '), ''
  from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace and i.indisunique`;

/** Returns the parts of the current database that programs may rely on. */
export async function shapeOf(pool: Pool): Promise<SchemaShape> {
  const { rows } = await pool.query<{ name: string; form: string }>(DESCRIBE);
  return new Map(rows.map(({ name, form }) => [name, form]));
}

/**
 * Returns the changes from `before` to `after` that break a program written for `before`, a sentence each.
 */
export function breaksOf(before: SchemaShape, after: SchemaShape): readonly string[] {
  const tables = new Set(
    [...before.keys()]
      .filter((name) => name.startsWith('column '))
      .map((name) => name.slice('column '.length).split('.')[0]),
  );
  const gone = [...before]
    .filter(([name]) => !name.startsWith('demand') && !after.has(name))
    .map(([name]) => `${name} is gone`);
  const changed = [...before]
    .filter(([name, form]) => after.has(name) && after.get(name) !== form)
    .map(([name, form]) => `${name} was ${form} and is ${after.get(name)}`);
  const demands = [...after.keys()].filter(
    (name) => name.startsWith('demand') && !before.has(name) && tables.has(/^demand on (\w+):/.exec(name)?.[1]),
  );
  return [...gone, ...changed, ...demands.map((name) => `there is a new ${name}`)];
}
