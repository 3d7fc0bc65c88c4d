/** What the bare server writes for one request: as many rows as the product, each as long. */
export interface WrittenRows {
  /** Rows of one table, and the bytes of each, its header and keys included. */
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly bytes: number }[];
  /** The body that the product answered with. */
  readonly answer: string;
}

/** What the paths begin with at which the bare server writes in a transaction of several statements. */
export const IN_A_TRANSACTION = '/in-a-transaction';

/** Of a row's bytes, those that PostgreSQL adds to the text: header, alignment, number and length. */
const ROW_OVERHEAD = 40;

/** The tables that the bare server reads. Each text is what the product answers; the filler makes rows as long as the product's. */
export const BARE_TABLES = `
create table people (
  organisation_id text collate "C" not null, person_id text collate "C" not null, created_at timestamptz(3) not null,
  body text not null, filler text not null, primary key (organisation_id, person_id)
);
create index people_in_order on people (organisation_id, created_at, person_id);
create table searches (
  organisation_id text collate "C" not null, person_id text collate "C" not null, name_key text collate "C" not null, search_text text not null,
  primary key (organisation_id, person_id)
);
create index searches_by_name on searches (organisation_id, name_key, person_id) include (search_text);
create extension pg_trgm;
create table spellings (like searches, primary key (organisation_id, person_id));
create index spellings_by_trigrams on spellings using gin (search_text gin_trgm_ops);
create table time_off (
  organisation_id text collate "C" not null, id text collate "C" not null, start_date date not null,
  body text not null, filler text not null, primary key (organisation_id, id)
);
create index time_off_in_order on time_off (organisation_id, start_date, id);
create table beliefs (
  organisation_id text collate "C" not null, person_id text collate "C" not null, valid_from date, valid_to date, is_known boolean not null,
  body text not null, filler text not null
);
create index beliefs_of_people on beliefs (organisation_id, person_id);`;

export const ONE_PERSON = 'select body from people where organisation_id = $1 and person_id = $2';
export const SOME_PEOPLE =
  'select body from people where organisation_id = $1 and (created_at, person_id) > ($2, $3) order by created_at, person_id limit 100';
/** The people one of whose texts has a word that begins so, by an index in the order of names and by one of trigrams. The pattern is `% word%`. */
export const SOME_FOUND = foundIn('searches');
export const SOME_SPELT = foundIn('spellings');
/** What begins in the window, from a place on. What is in progress on its first day is left out. */
export const SOME_TIME_OFF =
  'select body from time_off where organisation_id = $1 and (start_date, id) > ($2, $3) and start_date <= $4 order by start_date, id limit 100';
export const BELIEFS_ON =
  'select body from beliefs where organisation_id = $1 and person_id = $2 and is_known and valid_from <= $3 and (valid_to is null or valid_to > $3)';

/** Tables for what one kind of request writes. The last one is that of receipts, which is unique by key. */
export function tablesFor(name: string, { tables }: WrittenRows): string {
  return tables
    .map((_, number) =>
      number === tables.length - 1
        ? `create table ${name}_${number} (key text primary key, body text not null);`
        : `create table ${name}_${number} (number bigint generated always as identity primary key, body text not null);`,
    )
    .join('\n');
}

/** One statement that inserts everything in a transaction of its own: one message and one commit. Takes the receipt's key. */
export function insertsOf(name: string, rows: WrittenRows): string {
  const { before, receipt } = insertStatementsOf(name, rows);
  return before.length === 0 ? receipt : `with ${before.map((insert, number) => `i${number} as (${insert})`).join(', ')} ${receipt}`;
}

/** A statement for each table. Only the last, that of the receipt, takes a value: the receipt's key. */
export function insertStatementsOf(
  name: string,
  { tables }: WrittenRows,
): { readonly before: readonly string[]; readonly receipt: string } {
  const before = tables
    .slice(0, -1)
    .map(({ rows, bytes }, number) => `insert into ${name}_${number} (body) select ${textOf(bytes)} from generate_series(1, ${rows})`);
  const { bytes } = tables.at(-1)!;
  return { before, receipt: `insert into ${name}_${tables.length - 1} (key, body) values ($1, ${textOf(bytes)})` };
}

/** A literal of that length which does not compress. A text that is sent as a parameter costs the same. */
function textOf(bytes: number): string {
  return `'${incompressible(Math.max(1, Math.round(bytes) - ROW_OVERHEAD))}'`;
}

/** A text that PostgreSQL cannot store in fewer bytes. */
export function incompressible(length: number): string {
  let text = '';
  for (let state = 1; text.length < length; state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff) {
    text += (state >>> 8).toString(36);
  }
  return text.slice(0, length);
}

function foundIn(table: string): string {
  return `select p.body from ${table} s join people p on p.organisation_id = $1 and p.person_id = s.person_id where s.organisation_id = $1 and s.search_text like $2 order by s.name_key, s.person_id limit 100`;
}
