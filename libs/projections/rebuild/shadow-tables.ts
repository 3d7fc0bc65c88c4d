import type { Executor, ReadTable } from '../projection.js';

/** The table that a rebuild fills while the live one is in use. */
export function shadowOf(table: string): string {
  return `rebuild_${table}`;
}

/**
 * Creates empty shadows without indexes, after dropping those of an interrupted rebuild. Triggers that set
 * columns exist before the rows.
 */
export async function createShadows(executor: Executor, tables: readonly ReadTable[]): Promise<void> {
  await dropShadows(executor, tables);
  for (const { name } of tables) {
    await executor.query(
      `create table ${shadowOf(name)} (like ${name} including defaults including generated including storage)`,
    );
    for (const trigger of await triggersOf(executor, name))
      if (trigger.setsColumns) await executor.query(onShadow(trigger.definition, name));
  }
}

/** Converts the definition of a table's index or trigger to one of its shadow. */
function onShadow(definition: string, name: string): string {
  return definition.replace(new RegExp(` ON (\\w+\\.)?${name} `), ` ON ${shadowOf(name)} `);
}

/** Drops shadows. */
export async function dropShadows(executor: Executor, tables: readonly ReadTable[]): Promise<void> {
  await executor.query(`drop table if exists ${tables.map(({ name }) => shadowOf(name)).join(', ')}`);
}

/**
 * Gives filled shadows the bookkeeping, indexes, constraints and triggers of the live tables, under names of
 * their own. Bookkeeping comes first, so that a changed row needs no index entries; {@link carryOver} copies
 * later changes of the live tables before the swap.
 */
export async function completeShadows(executor: Executor, tables: readonly ReadTable[]): Promise<void> {
  await carryOver(executor, tables);
  for (const { name } of tables) {
    const shadow = shadowOf(name);
    for (const constraint of await constraintsOf(executor, name))
      await executor.query(
        `alter table ${shadow} add constraint ${shadowOf(constraint.name)} ${constraint.definition}`,
      );
    for (const index of await indexesOf(executor, name)) {
      const renamed = index.definition.replace(index.name, shadowOf(index.name));
      await executor.query(onShadow(renamed, name));
    }
    for (const trigger of await triggersOf(executor, name))
      if (!trigger.setsColumns) await executor.query(onShadow(trigger.definition, name));
    await executor.query(`analyze ${shadow}`);
  }
}

/**
 * Replaces the live tables with the shadows, including names of indexes and constraints. Runs inside the
 * caller's transaction.
 */
export async function swapShadows(connection: Executor, tables: readonly ReadTable[]): Promise<void> {
  for (const { name } of tables) {
    const constraints = await constraintsOf(connection, name);
    const indexes = await indexesOf(connection, name);
    await connection.query(`drop table ${name}`);
    await connection.query(`alter table ${shadowOf(name)} rename to ${name}`);
    for (const constraint of constraints) {
      await connection.query(
        `alter table ${name} rename constraint ${shadowOf(constraint.name)} to ${constraint.name}`,
      );
    }
    for (const index of indexes) await connection.query(`alter index ${shadowOf(index.name)} rename to ${index.name}`);
  }
}

/** Copies bookkeeping of the live rows that must not be lost, for rows whose shadow differs. */
export async function carryOver(executor: Executor, tables: readonly ReadTable[]): Promise<void> {
  for (const { name, primaryKey, carriedOver } of tables) {
    if (carriedOver === undefined) continue;
    const assignments = Object.entries(carriedOver).map(([column, expression]) => `${column} = ${expression}`);
    const differs = Object.entries(carriedOver).map(
      ([column, expression]) => `shadow.${column} is distinct from ${expression}`,
    );
    const same = primaryKey.map((column) => `shadow.${column} = live.${column}`);
    await executor.query(
      `update ${shadowOf(name)} shadow set ${assignments.join(', ')} from ${name} live where ${same.join(' and ')} ` +
        `and (${differs.join(' or ')})`,
    );
  }
}

interface Definition {
  readonly name: string;
  readonly definition: string;
}

/**
 * Primary keys, unique and exclusion constraints, with checks; PostgreSQL 18 lists NOT NULL too, which LIKE
 * has copied.
 */
async function constraintsOf(executor: Executor, table: string): Promise<readonly Definition[]> {
  const { rows } = await executor.query<Definition>(
    `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
      where conrelid = $1::regclass and contype in ('p', 'u', 'x', 'c') order by contype = 'x', conname`,
    [table],
  );
  return rows;
}

/** Indexes that do not belong to a constraint. */
async function indexesOf(executor: Executor, table: string): Promise<readonly Definition[]> {
  const { rows } = await executor.query<Definition>(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = $1::regclass and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
        order by 1`,
    [table],
  );
  return rows;
}

/** `setsColumns`: it runs before each row. */
async function triggersOf(
  executor: Executor,
  table: string,
): Promise<readonly (Definition & { readonly setsColumns: boolean })[]> {
  const { rows } = await executor.query<Definition & { readonly setsColumns: boolean }>(
    `select tgname as name, pg_get_triggerdef(oid) as definition, tgtype & 3 = 3 as "setsColumns" from pg_trigger
      where tgrelid = $1::regclass and not tgisinternal order by 1`,
    [table],
  );
  return rows;
}
