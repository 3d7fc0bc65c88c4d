import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allReadable } from '../../test/support/postgres.js';
import { programOfAcme, words } from '../../test/support/program.js';
import { temporaryDirectory } from '../../test/support/test-server.js';

const { workforce, json, database, organisationId } = programOfAcme();

interface Verified {
  readonly ok: boolean;
  readonly last_anchor: number | null;
  readonly findings: readonly {
    readonly kind: string;
    readonly stream: string | null;
    readonly revision: number | null;
  }[];
}

let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
  await allReadable(database().pool);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('workforce audit', () => {
  it('says that there is no anchor, makes one, and keeps it elsewhere', async () => {
    const before = await workforce('audit', 'verify');
    expect(before.code).toBe(0);
    expect(before.stdout).toMatch(/^History is unaltered\.\n.*\nThere is no anchor:/);
    expect((await workforce('audit', 'anchors', 'export')).stderr).toContain(
      'There is no anchor yet: workforce audit anchor makes one.',
    );
    const made = await json<{ anchors: readonly { number: number; public_key: string }[] }>('audit', 'anchor');
    expect(made.anchors.map(({ number }) => number)).toEqual([1]);
    expect((await workforce('audit', 'anchor')).stdout).toBe('Nothing was recorded since the last anchor.\n');
    const { public_key: key } = await json<{ public_key: string }>('audit', 'anchors', 'list');
    expect(key).toBe(made.anchors[0]!.public_key);
    const file = join(directory, 'anchors');
    expect(await json('audit', 'anchors', 'export', file)).toEqual({ file, public_key: key, anchors: 1 });
    expect((await workforce('audit', 'anchors', 'export')).stdout).toBe(await readFile(file, 'utf8'));
    expect(await json<Verified>('audit', 'verify', '--anchor', file, '--public-key', key)).toMatchObject({
      ok: true,
      last_anchor: 1,
      findings: [],
    });
  });

  it('names what was altered, of the organisation that is asked for, and ends with 1', async () => {
    await database().pool.query('alter table events disable trigger user');
    await database().pool.query(
      `update events set data = '{"name":"Another"}' where stream like 'organisation-%' and revision = 0`,
    );
    await database().pool.query('alter table events enable trigger user');
    const { code, stdout } = await workforce('audit', 'verify', '--organisation', 'acme', '--json');
    const verified = JSON.parse(stdout) as Verified;
    expect([code, verified.ok]).toEqual([1, false]);
    expect(verified.findings).toEqual([
      expect.objectContaining({ kind: 'changed', stream: `organisation-${organisationId()}.profile`, revision: 0 }),
    ]);
    const { code: again, stdout: text } = await workforce('audit', 'verify');
    expect(again).toBe(1);
    expect(text).toContain('History was altered: 1 finding.');
  });

  it('refuses a key that is none and a file that is none', async () => {
    expect((await workforce('audit', 'verify', '--public-key', 'short')).stderr).toContain(
      '--public-key takes the 43 characters',
    );
    const file = join(directory, 'none');
    await writeFile(file, 'nothing\n');
    expect((await workforce('audit', 'verify', '--anchor', file)).stderr).toContain(
      'Line 1 of the file is not an anchor',
    );
    expect((await workforce('audit', 'verify', '--anchor', join(directory, 'missing'))).stderr).toContain(
      'cannot be read',
    );
  });
});

describe('workforce audit report', () => {
  beforeAll(async () => {
    await writeFile(
      join(directory, 'people.csv'),
      'work_email,first_name,start_date,job_title\nada@example.com,Marguerite,2026-01-01,=Engineer\ngrace@example.com,Philippa,2026-02-01,Analyst\n',
    );
    await json('import', 'people', join(directory, 'people.csv'), '--organisation', 'acme');
    await allReadable(database().pool);
  });

  it('reports the changes of one person, with names encrypted unless values are requested', async () => {
    const { stdout } = await workforce('audit', 'report', '--person', 'ada@example.com');
    const [heading, ...lines] = stdout.trimEnd().split('\r\n');
    expect(heading).toBe(
      'recorded_at,actor_type,actor_id,actor_name,subject,subject_id,event,field,value,reason,supersedes,request_id,event_id,revision,approver_type,approver_id,person_id',
    );
    expect(lines.some((line) => line.includes(",EmploymentStarted,job_title,'=Engineer,"))).toBe(true);
    expect(lines.some((line) => line.includes(',PersonCreated,identity,[sealed],'))).toBe(true);
    expect(stdout).not.toMatch(/Marguerite|Philippa|Analyst/);
    const { stdout: opened } = await workforce('audit', 'report', '--person', 'ada@example.com', '--with-values');
    expect(opened).toContain(',PersonCreated,first_name,Marguerite,');
    expect(opened).not.toContain('Philippa');
    for (const step of ['rotate', 'reseal']) await json('secrets', step, 'personal-data');
    expect((await workforce('audit', 'report', '--person', 'ada@example.com', '--with-values')).stdout).toContain(
      ',PersonCreated,first_name,Marguerite,',
    );
    await database().pool.query(
      'delete from person_keys where person_id = (select person_id from people where work_email = $1)',
      ['ada@example.com'],
    );
    expect((await workforce('audit', 'report', '--person', 'ada@example.com', '--with-values')).stdout).toContain(
      ',PersonCreated,identity,[erased],',
    );
  });

  it('says it of an organisation within a time, as a page in a file', async () => {
    const output = join(directory, 'report.html');
    const answer = await json<{ events: number; file: string }>(
      ...words('audit report --organisation acme --from 2026-01-01 --format html --output'),
      output,
      '--with-values',
    );
    expect(answer).toMatchObject({ file: output });
    expect(answer.events).toBeGreaterThan(5);
    const page = await readFile(output, 'utf8');
    expect(page).toContain('<td>Philippa</td>');
    expect(await json('audit', 'report', '--organisation', 'acme', '--to', '2020-01-01')).toMatchObject({
      events: 0,
      rows: [],
    });
    expect(await json('audit', 'report', '--organisation', 'acme', '--from', '2090-01-01')).toMatchObject({
      events: 0,
      rows: [],
    });
  });

  it('replaces no file without --force, and says that a folder is missing', async () => {
    const output = join(directory, 'kept.csv');
    await writeFile(output, 'kept');
    const report = ['audit', 'report', '--organisation', 'acme', '--output'];
    expect(await workforce(...report, output)).toEqual({
      code: 3,
      stdout: '',
      stderr: `${output} exists already: name another file, or replace it with --force.\n`,
    });
    expect(await readFile(output, 'utf8')).toBe('kept');
    expect((await workforce(...report, output, '--force')).code).toBe(0);
    expect(await readFile(output, 'utf8')).toContain('PersonCreated');
    for (const command of [
      report,
      ['audit', 'anchors', 'export'],
      ['events', 'export'],
      ['people', 'erasures', '--export'],
      ['backup'],
    ]) {
      const { code, stderr } = await workforce(...command, join(directory, 'missing', 'file'));
      expect([code, stderr]).toEqual([
        4,
        `The folder ${join(directory, 'missing')} does not exist: make it first, or name another one.\n`,
      ]);
    }
  });

  it('requires a subject and a known format', async () => {
    expect((await workforce('audit', 'report')).stderr).toContain(
      'Name the subject of the report: --person or --organisation.',
    );
    expect((await workforce('audit', 'report', '--person', 'x', '--format', 'pdf')).stderr).toContain(
      '--format takes csv or html.',
    );
  });
});
