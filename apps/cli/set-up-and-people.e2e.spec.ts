import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';
import { OF_ACME, programOfAcme, words } from '../../test/support/program.js';
import { temporaryDirectory } from '../../test/support/test-server.js';

const { workforce, json } = programOfAcme();

interface Unit {
  readonly id: string;
  readonly name: string;
  readonly parent: { readonly name: string } | null;
  readonly archived_at: string | null;
}

let directory: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const people = ['work_email,staff_id,first_name,last_name,department,start_date', ...rowsOfPeople()];
  for (const name of ['Research', 'Finance']) await json('org-units', 'create', ...OF_ACME, '--name', name);
  await json('import', 'people', await file(people), ...OF_ACME);
  const absences = [
    'staff_id,category,start_date,end_date,status',
    'S1,Annual leave,2026-03-02,2026-03-06,',
    'S1,Annual leave,2026-05-11,2026-05-12,approved',
  ];
  await json('import', 'time-off', await file(absences), ...OF_ACME);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

function rowsOfPeople(): readonly string[] {
  return [
    'ada@example.com,S1,Ada,Byron,Research,2024-01-01',
    'grace@example.com,S2,Grace,Hopper,Research,2024-02-01',
    'linus@example.com,S3,Linus,Berg,Finance,2024-03-01',
  ];
}

async function file(lines: readonly string[]): Promise<string> {
  const path = join(directory, 'rows.csv');
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

async function refused(...parameters: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await workforce(...parameters, ...OF_ACME);
  expect([code, stdout]).toEqual([exitCodeOfSentence(stderr), '']);
  return stderr.trimEnd();
}

describe('workforce org-units', () => {
  it('creates, shows, moves, archives and reactivates units that are named by id, code or name', async () => {
    const division = await json<Unit>(
      ...words('org-units create --organisation acme --name Science --code SCI --head ada@example.com'),
    );
    expect(division).toMatchObject({
      name: 'Science',
      code: 'SCI',
      parent: null,
      head: { display_name: 'Ada Byron' },
      archived_at: null,
    });
    const team = await json<Unit>('org-units', 'create', ...OF_ACME, '--name', 'Lasers', '--parent', 'SCI');
    expect(team.parent?.name).toBe('Science');
    expect(
      await json<Unit>('org-units', 'update', 'lasers', ...OF_ACME, '--name', 'Optics', '--parent', ''),
    ).toMatchObject({ id: team.id, name: 'Optics', parent: null });
    expect((await workforce('org-units', 'update', team.id, ...OF_ACME, '--parent', 'Science')).stdout).toBe(
      `Changed Optics (${team.id}).\n`,
    );
    expect(await refused('org-units', 'archive', 'SCI')).toContain('org unit');
    expect((await json<Unit>('org-units', 'archive', 'Optics', ...OF_ACME)).archived_at).not.toBeNull();
    expect((await json<Unit>('org-units', 'reactivate', 'Optics', ...OF_ACME)).archived_at).toBeNull();
    const { org_units: units } = await json<{ org_units: readonly Unit[] }>('org-units', 'list', ...OF_ACME);
    expect(units.map(({ name }) => name)).toEqual(['Finance', 'Optics', 'Research', 'Science']);
    await json('org-units', 'update', 'Optics', ...OF_ACME, '--code', 'Finance');
    expect(await refused('org-units', 'show', 'finance')).toBe(
      '2 org units match finance: take the id, which workforce org-units list shows.',
    );
    await json('org-units', 'update', 'Optics', ...OF_ACME, '--code', '');
    expect((await workforce('org-units', 'show', 'SCI', ...OF_ACME)).stdout).toMatch(
      /^ID +NAME +CODE +BELOW +HEAD +STATUS\n\S+ +Science +SCI +Ada Byron +active\n$/,
    );
  });

  it.each<[string[], string]>([
    [['show', 'Nowhere'], 'There is no org unit Nowhere: workforce org-units list shows all.'],
    [['update', 'Research'], 'Nothing to change: name at least one field; --help lists them.'],
    [
      ['create', '--name', 'X', '--parent', 'Nowhere'],
      'There is no org unit Nowhere: workforce org-units list shows all.',
    ],
    [['create', '--name', 'X', '--head', 'nobody@example.com'], 'There is no person nobody@example.com.'],
    [['create', '--name', ' '], '--name must not be blank.'],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    expect(await refused('org-units', ...parameters)).toBe(sentence);
  });
});

describe('workforce working-patterns', () => {
  it('creates, shows, changes, archives and lists patterns', async () => {
    const created = await json<{ id: string }>(
      ...words('working-patterns create --organisation acme --label'),
      'Four days',
      '--days',
      'mon-thu=240+210',
    );
    expect(created).toMatchObject({
      label: 'Four days',
      cycle_weeks: 1,
      anchor_date: '2024-01-01',
      weekly_minutes: 1_800,
      archived_at: null,
    });
    const changed = await json(
      'working-patterns',
      'update',
      'four days',
      ...words('--organisation acme --cycle-weeks 2 --days'),
      'mon-tue=240+210, 2.SUN=60+0',
    );
    expect(changed).toMatchObject({
      cycle_weeks: 2,
      days: [
        { week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 210 },
        { week: 1, weekday: 2, morning_minutes: 240, afternoon_minutes: 210 },
        { week: 2, weekday: 7, morning_minutes: 60, afternoon_minutes: 0 },
      ],
    });
    expect((await workforce('working-patterns', 'show', created.id, ...OF_ACME)).stdout).toMatch(/\n2 +sun +60 +0\n$/);
    expect((await workforce('working-patterns', 'archive', 'Four days', ...OF_ACME)).stdout).toBe(
      `Archived Four days (${created.id}).\n`,
    );
    const { working_patterns: patterns } = await json<{ working_patterns: readonly { archived_at: string | null }[] }>(
      'working-patterns',
      'list',
      ...OF_ACME,
    );
    expect(patterns.map(({ archived_at: archivedAt }) => archivedAt !== null)).toEqual([true]);
  });

  it.each<[string[], string]>([
    [['show', 'None'], 'There is no working pattern None: workforce working-patterns list shows all.'],
    [
      ['create', '--label', 'X', '--days', 'monday'],
      '--days takes days such as mon-fri=240+210 or 2.sat=240+0, separated by commas; monday is none.',
    ],
    [
      ['create', '--label', 'X', '--days', 'fri-mon=240+210'],
      '--days takes days such as mon-fri=240+210 or 2.sat=240+0, separated by commas; fri-mon=240+210 is none.',
    ],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    expect(await refused('working-patterns', ...parameters)).toBe(sentence);
  });
});

describe('workforce people', () => {
  // People of one import may be recorded in the same millisecond.
  const emailsOf = async (...options: readonly string[]): Promise<readonly string[]> =>
    (await json<{ people: readonly { work_email: string }[] }>('people', 'list', ...OF_ACME, ...options)).people
      .map((one) => one.work_email)
      .sort();

  it('lists those who match, and says whether there are more', async () => {
    expect(await emailsOf()).toEqual(['ada@example.com', 'grace@example.com', 'linus@example.com']);
    expect(await emailsOf('--department', 'research')).toEqual(['ada@example.com', 'grace@example.com']);
    expect(await emailsOf('--search', 'HOPP')).toEqual(['grace@example.com']);
    expect(await emailsOf('--search', 's3')).toEqual(['linus@example.com']);
    expect(await emailsOf('--search', 'hoper')).toEqual(['grace@example.com']);
    expect(await emailsOf('--status', 'ended')).toEqual([]);
    expect(await json('people', 'list', ...OF_ACME, '--limit', '2')).toMatchObject({ has_more: true });
    expect(await json('people', 'list', ...OF_ACME, '--limit', '3')).toMatchObject({ has_more: false });
    expect((await workforce('people', 'list', ...OF_ACME, '--limit', '1')).stdout).toMatch(
      /\n1 person is shown, and there are more: --limit shows up to 10000.\n$/,
    );
  });

  it('shows a person', async () => {
    expect(await json('people', 'show', 'S2')).toMatchObject({
      display_name: 'Grace Hopper',
      department: { name: 'Research' },
    });
    const { stdout } = await workforce('people', 'show', 'grace@example.com', ...OF_ACME);
    expect(stdout).toContain('Name             Grace Hopper\n');
    expect(stdout).toContain('Department       Research\n');
    expect(await refused('people', 'show', 'nobody')).toBe('There is no person nobody.');
    expect(await refused('people', 'list', '--limit', '0')).toBe('--limit must be a whole number from 1 to 10000.');
  });
});

describe('workforce time-off', () => {
  it('lists and shows records', async () => {
    const list = async (...options: readonly string[]): Promise<readonly { id: string; start_date: string }[]> =>
      (
        await json<{ time_off: readonly { id: string; start_date: string }[] }>(
          'time-off',
          'list',
          ...OF_ACME,
          ...options,
        )
      ).time_off;
    const all = await list();
    expect(all.map(({ start_date: start }) => start)).toEqual(['2026-03-02', '2026-05-11']);
    expect(await list('--person', 'S1', '--from', '2026-05-12')).toEqual(all.slice(1));
    expect(await list('--to', '2026-03-02', '--status', 'pending')).toEqual(all.slice(0, 1));
    expect(await list('--person', 'S2')).toEqual([]);
    expect(await json('time-off', 'show', all[0]!.id, ...OF_ACME)).toEqual(all[0]);
    expect((await workforce('time-off', 'show', all[0]!.id, ...OF_ACME)).stdout).toMatch(
      /^Annual leave of Ada Byron, 2026-03-02 to 2026-03-06, pending: 5 days\n/,
    );
    expect(await refused('time-off', 'show', 'to_x')).toBe(
      'There is no time off to_x: workforce time-off list shows it.',
    );
    expect(await refused('time-off', 'list', '--from', '2026-02-30')).toBe(
      '--from must be a date that exists, written YYYY-MM-DD.',
    );
  });
});
