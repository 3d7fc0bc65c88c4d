import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { countEvents, recordedEvents } from '../support/event-store.js';
import { runWorkforce, startWorkforce } from '../support/processes.js';
import { OF_ACME, programOfAcme } from '../support/program.js';
import { temporaryDirectory } from '../support/test-server.js';
import { testSize } from '../support/test-size.js';

const { database, workforce } = programOfAcme();
let directory: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

async function importFile(
  kind: 'people' | 'employment-history',
  path: string,
  ...more: readonly string[]
): Promise<{ code: number | null; document: Record<string, unknown>; stderr: string }> {
  const { code, stdout, stderr } = await workforce('import', kind, path, ...OF_ACME, '--json', ...more);
  return { code, document: JSON.parse(stdout) as Record<string, unknown>, stderr };
}

describe('workforce import', () => {
  it('ends with one document of exactly these members, and exits with 0 where every row is imported', async () => {
    const path = await file(
      'people.csv',
      '\ufeffwork_email,first_name,start_date,department\r\nada@example.com,"Ada\r\nAugusta",2020-01-01,Research\r\n',
    );
    const { code, document, stderr } = await importFile('people', path, '--create-missing');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(document).toEqual({
      rows: 1,
      created: 1,
      changed: 0,
      unchanged: 0,
      failed: 0,
      problems: [],
      warnings: [],
      changes: [],
      rows_per_second: expect.any(Number),
    });
    const history = await file('history.csv', 'work_email,start_date,job_title\nada@example.com,2021-01-01,Senior\n');
    expect((await importFile('employment-history', history)).document).toMatchObject({ rows: 1, created: 1 });
    const { rows } = await database().pool.query(
      "select distinct actor_type, correction_reason from employment_facts where action <> 'start'",
    );
    expect(rows).toEqual([{ actor_type: 'operator', correction_reason: null }]);
  });

  it('says lines, fields and issues for people, and exits with 1 where a row is refused', async () => {
    const path = await file(
      'bad.csv',
      'work_email,first_name,start_date\nbad,"two\nlines",\ngrace@example.com,Grace,2020-01-01\nalan@example.com,Alan,tomorrow\n',
    );
    const { code, stdout } = await workforce('import', 'people', path, ...OF_ACME);
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      '  line 2: work_email: must be an e-mail address',
      '  line 5: start_date: must be a date that exists, written YYYY-MM-DD',
    ]);
    expect(stdout).toContain('3 rows, 1 person created, 0 rows unchanged, 2 rows refused');
  });

  it.each([
    [
      'Excel, with semicolons',
      '\ufeffE-mail;First Name;Last Name;Employee ID;Hire date;Job;Contracted weekly minutes;;\r\nexcel@example.com;Zoë;"Berg, geb. Moe";X-1;2025-03-04;Analyst;2250;;\r\n;;;;;;;;\r\n',
    ],
    [
      'Excel, as Unicode text',
      Buffer.from(
        '\ufeffE-mail\tFirst Name\tLast Name\tEmployee ID\tHire date\tJob\tContracted weekly minutes\r\nunicode@example.com\tZoë\tBerg, geb. Moe\tX-2\t2025-03-04\tAnalyst\t2250\r\n',
        'utf16le',
      ),
    ],
    [
      'LibreOffice',
      '"Work Email","First Name","Last Name","Employee-ID","Hire Date","Position","Contracted Weekly Minutes"\n"libre@example.com","Zoë","Berg, geb. Moe","X-3",2025-03-04,"Analyst",2250\n',
    ],
    [
      'pandas',
      ',email,first_name,last_name,employee_id,hire_date,job_title,contracted_weekly_minutes\n0,pandas@example.com,Zoë,"Berg, geb. Moe",1001.0,2025-03-04 00:00:00,Analyst,2250.0\n',
    ],
    [
      'a program that says sep=',
      'sep=|\nemail|given name|surname|personnel no.|joining date|role|weekly minutes\nsep@example.com|Zoë|Berg, geb. Moe|X-5|2025-03-04|Analyst|2250\n',
    ],
  ])('reads the file of %s', async (name, content) => {
    const path = await file(`${name}.csv`, content);
    const { code, document } = await importFile('people', path);
    expect([code, document['problems']]).toEqual([0, []]);
    expect(document).toMatchObject({ rows: 1, created: 1 });
    // The person of the file before has the same name.
    const warnings = (document['warnings'] as readonly { readonly field: string }[]).filter(
      ({ field }) => field !== 'work_email',
    );
    expect(warnings).toHaveLength(name === 'pandas' ? 1 : 0);
    expect((await importFile('people', path)).document).toMatchObject({ unchanged: 1, failed: 0 });
    const { rows } = await database().pool.query(
      'select display_name, start_date, job_title, contracted_weekly_minutes from people order by people.created_at desc limit 1',
    );
    expect(rows).toEqual([
      {
        display_name: 'Zoë Berg, geb. Moe',
        start_date: '2025-03-04',
        job_title: 'Analyst',
        contracted_weekly_minutes: 2250,
      },
    ]);
  });
});

describe('an import that is killed', () => {
  const KILLS = testSize('IMPORT_KILLS', { usual: 2, long: 10 });
  const PEOPLE = testSize('IMPORT_PEOPLE', { usual: 500, long: 3_000, eventStoreDb: 500 });
  const header = {
    people: 'work_email,staff_id,start_date,end_date,job_title,department,manager',
    history: 'staff_id,action,start_date,end_date,job_title',
  };
  const numbers = Array.from({ length: PEOPLE }, (_, index) => index);
  const hasLeft = (index: number): boolean => index % 3 === 0;
  const people = numbers.map(
    (index) =>
      `k${index}@example.com,K${index},2015-01-01,${hasLeft(index) ? '2022-06-30' : ''},Engineer,Unit ${index % 7},${index === 0 ? '' : `K${Math.floor(index / 5)}`}`,
  );
  const history = numbers.flatMap((index) => [
    `K${index},change,2018-01-01,,Senior`,
    ...(hasLeft(index) ? [`K${index},reactivate,2024-01-01,,Advisor`] : []),
  ]);

  /**
   * Kills an import some time after it has written, again and again, each time further on; then lets it
   * finish.
   */
  async function killAndFinish(parameters: readonly string[]): Promise<Record<string, unknown>> {
    const environment = { DATABASE_URL: database().url };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const running = startWorkforce(parameters, environment);
      let ended = false;
      void running.exited.then(() => (ended = true));
      const before = await countEvents(database().pool);
      while (!ended && (await countEvents(database().pool)) === before) await wait(5);
      await wait(Math.random() * 100);
      await running.end('SIGKILL');
    }
    const { code, stdout } = await runWorkforce(parameters, environment);
    expect(code).toBe(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  async function factsOfEverybody(): Promise<ReadonlyMap<string, string>> {
    const { rows } = await database().pool.query<{ work_email: string; facts: string }>(
      `select p.work_email, string_agg(f.action || ' ' || f.effective_from, ', ' order by f.revision) as facts
         from people p join employment_facts f using (organisation_id, person_id) where p.work_email like 'k%' and p.identity_revision is not null group by p.organisation_id, p.person_id, p.work_email`,
    );
    expect(new Set(rows.map((row) => row.work_email)).size).toBe(rows.length);
    return new Map(rows.map((row) => [row.work_email, row.facts]));
  }

  it('is finished by the next run: nobody twice, no fact twice, nobody half there', async () => {
    const path = await file('many.csv', [header.people, ...people.toReversed()].join('\n'));
    const parameters = ['import', 'people', path, ...OF_ACME, '--create-missing', '--json'];
    // Whoever was there without their end is changed by the last run.
    const { created, changed, unchanged, failed } = (await killAndFinish(parameters)) as Record<string, number>;
    expect({ rows: created! + changed! + unchanged!, failed }).toEqual({ rows: PEOPLE, failed: 0 });
    const facts = await factsOfEverybody();
    expect(facts.size).toBe(PEOPLE);
    for (const index of numbers)
      expect(facts.get(`k${index}@example.com`)).toBe(
        hasLeft(index) ? 'start 2015-01-01, end 2022-06-30' : 'start 2015-01-01',
      );
    const { rows } = await database().pool.query(
      'select count(*) as count from people p join people m on m.person_id = p.manager_id and m.identity_revision is not null where p.work_email like $1',
      ['k%'],
    );
    expect(rows).toEqual([{ count: PEOPLE - 1 }]);
    const { rows: own } = await database().pool.query<{ stream: string }>(
      "select 'person-' || organisation_id || '.' || person_id as stream from people where work_email like 'k%'",
    );
    const streams = new Set(own.map(({ stream }) => stream));
    const recorded = (await recordedEvents(database().pool)).filter(({ stream }) => streams.has(stream));
    expect([new Set(recorded.map(({ stream }) => stream)).size, recorded.length]).toEqual([PEOPLE, PEOPLE]);
    expect((await importFile('people', path)).document).toMatchObject({
      created: 0,
      changed: 0,
      unchanged: PEOPLE,
      failed: 0,
    });
  });

  it('is finished by the next run also where facts of employment are imported', async () => {
    const path = await file('facts.csv', [header.history, ...history].join('\n'));
    const parameters = ['import', 'employment-history', path, ...OF_ACME, '--json'];
    await killAndFinish(parameters);
    const facts = await factsOfEverybody();
    for (const index of numbers) {
      const leaver = 'start 2015-01-01, end 2022-06-30, correction 2018-01-01, reactivate 2024-01-01';
      expect(facts.get(`k${index}@example.com`)).toBe(hasLeft(index) ? leaver : 'start 2015-01-01, change 2018-01-01');
    }
    expect((await importFile('employment-history', path)).document).toMatchObject({
      created: 0,
      unchanged: history.length,
      failed: 0,
    });
  });
});
