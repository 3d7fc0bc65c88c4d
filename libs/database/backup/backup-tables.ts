import type { PoolClient } from 'pg';

/** The rules for tables whose rows cannot be copied unchanged. */
export interface BackupRules {
  /**
   * Excluded tables, because their rows have no use in another database or are created again automatically.
   */
  readonly leftOut: readonly string[];
  /**
   * By table: SQL for columns, in terms of the table `t`, whose values are valid in another database; and the
   * joins that it needs.
   */
  readonly rewritten: {
    readonly [table: string]: {
      readonly columns: { readonly [column: string]: string };
      readonly from?: string;
      readonly order?: string;
    };
  };
}

/** A table in a backup. */
export interface BackupTable {
  readonly name: string;
  /** The columns that can be written, in the table's order. */
  readonly columns: readonly string[];
  /** Selects the rows in a fixed order. */
  readonly select: string;
}

interface Found {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly refers_to: readonly string[];
}

/** Ordinary tables, with their writable columns, their primary key, and the tables that they refer to. */
const TABLES = `
select c.relname as name,
    array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = '' order by a.attnum) as columns,
    array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
           where i.indrelid = c.oid and i.indisprimary order by array_position(i.indkey::int2[], a.attnum)) as key,
    array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
    where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as refers_to
  from pg_class c
 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
   and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass
     and d.deptype = 'e')
 order by 1`;

/**
 * Returns the tables of a backup, each after the tables that it refers to. The shadow tables of a rebuild are
 * left out.
 */
export async function backupTables(
  connection: Pick<PoolClient, 'query'>,
  rules: BackupRules,
): Promise<readonly BackupTable[]> {
  const { rows } = await connection.query<Found>(TABLES);
  const included = rows.filter(({ name }) => !rules.leftOut.includes(name) && !name.startsWith('rebuild_'));
  const ordered: Found[] = [];
  const add = (table: Found): void => {
    if (ordered.includes(table)) return;
    for (const name of table.refers_to) included.filter((other) => other.name === name).forEach(add);
    ordered.push(table);
  };
  // Columns of other tables are rewritten in terms of the event log, so it comes first.
  included.filter(({ name }) => name === 'events').forEach(add);
  included.forEach(add);
  return ordered.map((table) => ({ name: table.name, columns: table.columns, select: selectOf(table, rules) }));
}

function selectOf({ name, columns, key }: Found, { rewritten }: BackupRules): string {
  const rule = rewritten[name];
  const selected = columns.map((column) => `${rule?.columns[column] ?? `t.${column}`} as ${column}`);
  const order = rule?.order ?? (key.length === 0 ? columns : key).map((column) => `t.${column}`).join(', ');
  return `select ${selected.join(', ')} from ${name} t ${rule?.from ?? ''} order by ${order}`;
}
