import { migrate, type Migration } from '#database/migrations.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { breaksOf, shapeOf } from '../../test/support/schema-shape.js';
import { MIGRATIONS } from './migrations.js';

/** The last step that released programs have. A release updates it. */
const NEWEST_RELEASED = 1;

let database: TestDatabase;

afterEach(() => database.drop());

/** Returns the changes in these steps that break a program with only the steps before them. */
async function breaksOfSteps(known: readonly Migration[], steps: readonly Migration[]): Promise<readonly string[]> {
  await migrate(database.pool, known);
  const before = await shapeOf(database.pool);
  await migrate(database.pool, [...known, ...steps]);
  return breaksOf(before, await shapeOf(database.pool));
}

async function breaksOfStep(sql: string): Promise<readonly string[]> {
  database = await createTestDatabase({ migrated: true });
  return breaksOfSteps(MIGRATIONS, [{ version: MIGRATIONS.at(-1)!.version + 1, name: 'step', sql }]);
}

it('the steps since the newest release only add, except those that name the programs which may not run beside them', async () => {
  database = await createTestDatabase({ migrated: false });
  const steps = MIGRATIONS.filter(
    ({ version, oldestProgram = 0 }) => version > NEWEST_RELEASED && oldestProgram <= NEWEST_RELEASED,
  );
  expect(
    await breaksOfSteps(
      MIGRATIONS.filter(({ version }) => version <= NEWEST_RELEASED),
      steps,
    ),
  ).toEqual([]);
});

it.each([
  ['a column that is dropped', 'alter table people drop column job_title', 'column people.job_title is gone'],
  [
    'a column of another type',
    'alter table webhook_attempts alter column http_status type text',
    'column webhook_attempts.http_status was',
  ],
  [
    'a function that takes something else',
    'drop function append_event(text, bigint, uuid, text, text, text)',
    'function append_event(',
  ],
  [
    'a column that older programs do not fill',
    `alter table organisation_notices add column place text not null default ''; alter table organisation_notices alter column place drop default`,
    'there is a new demand on organisation_notices: not null place',
  ],
  [
    'a rule that older programs do not keep',
    'alter table work_places add check (false) not valid',
    'there is a new demand on work_places: CHECK',
  ],
  [
    'uniqueness that older programs do not know',
    'create unique index on api_keys (name)',
    'there is a new demand on api_keys: unique',
  ],
])('%s is found', async (_, sql, sentence) => {
  expect((await breaksOfStep(sql)).join('\n')).toContain(sentence);
});

it('a step that only adds is accepted', async () => {
  const sql = `create table extras (id text primary key check (id <> '')); alter table people add column extra text; alter table people add column counted integer not null default 0; create index on people (extra)`;
  expect(await breaksOfStep(sql)).toEqual([]);
});
