import type { CommandServices } from '#commands/services.js';
import { claimImport, purgeImports } from '#csv-import/import-jobs.js';
import { erasePerson } from '../support/people/erase-person.js';
import { eventually } from '../contract/event-store.support.js';
import { runImports } from '../support/api/imports.js';
import { type ApiAnswer, type ApiClient, expectError } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { recordedEvents } from '../support/event-store.js';
import type { Schemas } from '../support/api/shapes.js';

type Import = Schemas['ImportResponse'];

type Problem = Schemas['ImportProblemResponse'];

const HEADER = 'work_email,first_name,last_name,start_date,manager';

let organisation: TestOrganisation;
let client: ApiClient;

const api = TestApi.forSpec();
beforeEach(async () => {
  organisation = await api.organisation();
  ({ client } = organisation);
});

const csvOf = (...rows: readonly string[]): string => [HEADER, ...rows].join('\n');
const GOOD = csvOf(
  'ada@example.com,Ada,Byron,2026-01-05,',
  'grace@example.com,Grace,Hopper,2026-01-12,ada@example.com',
);
const WITH_PROBLEMS = csvOf(
  'ada@example.com,Ada,Byron,2026-01-05,',
  'grace@example.com,Grace,Hopper,soon,',
  'mary@example.com,Mary,Shelley,2026-01-05,marker-of-nobody@example.com',
);

function ask(csv: string, more: object = {}, by: ApiClient = client): Promise<ApiAnswer<Import>> {
  return by.post<Import>('/imports', { kind: 'people', file_name: 'starters.csv', csv, ...more });
}

async function asked(csv: string, more: object = {}): Promise<Import> {
  const answer = await ask(csv, more);
  expect(answer.status).toBe(201);
  return answer.json.data;
}

function work(services: CommandServices = api.services): Promise<void> {
  return runImports({ database: api.database, services });
}

const read = async (id: string): Promise<Import> => (await client.get<Import>(`/imports/${id}`)).json.data;
const problemsOf = async (id: string): Promise<readonly Problem[]> =>
  (await client.get<Problem[]>(`/imports/${id}/problems`)).json.data;
const emails = async (): Promise<readonly string[]> =>
  (await client.get<{ work_email: string }[]>('/people')).json.data.map((person) => person.work_email).toSorted();

async function storedOf(
  id: string,
): Promise<{ readonly file: Buffer | null; readonly key: Buffer | null; readonly texts: number }> {
  const { rows } = await api.database.pool.query(
    'select file, key, (select count(*)::integer from import_problems p where p.import_id = i.id) as texts from imports i where id = $1',
    [id],
  );
  return rows[0] as never;
}

describe('an import through the API', () => {
  it('is checked first, writes nothing, and imports the valid rows once it is run', async () => {
    const { id, state, requested_by: by } = await asked(WITH_PROBLEMS);
    expect(state).toBe('check_queued');
    expect(by).toEqual({ type: 'api_key', id: organisation.keyId });
    await work();
    expect(await read(id)).toMatchObject({
      state: 'checked',
      rows: 3,
      settled: 3,
      created: 1,
      failed: 2,
      problems: 2,
      ended_at: null,
    });
    expect(await problemsOf(id)).toEqual([
      { line: 3, field: 'start_date', issue: expect.stringContaining('date'), severity: 'problem' },
      { line: 4, field: 'manager', issue: expect.any(String), severity: 'problem' },
    ]);
    expect(await emails()).toEqual([]);

    expect((await client.post<Import>(`/imports/${id}/run`, {})).json.data).toMatchObject({
      state: 'queued',
      settled: 0,
      created: 0,
    });
    await work();
    expect(await read(id)).toMatchObject({
      state: 'imported',
      rows: 3,
      created: 1,
      failed: 2,
      ended_at: expect.any(String),
    });
    expect(await emails()).toEqual(['ada@example.com']);
    expect((await storedOf(id)).file).toBeNull();
    expect((await problemsOf(id)).map(({ line }) => line)).toEqual([3, 4]);
    const own = (await recordedEvents(api.database.pool)).filter(({ stream }) => stream.includes(organisation.row.id));
    expect(own.filter(({ metadata }) => metadata.actor.id === organisation.keyId).length).toBeGreaterThan(0);
  });

  it('imports locations, and time off and history of people', async () => {
    const send = async (kind: string, csv: string): Promise<Import> => asked(csv, { kind, dry_run: false });
    await asked(GOOD, { dry_run: false });
    const ids = [
      await send('locations', 'label,address_line_1,city,country\nHarbour,Quay 1,Leeds,GB'),
      await send('employment_history', 'work_email,start_date,job_title\nada@example.com,2026-02-01,Analyst'),
      await send('time_off', 'work_email,category,start_date,end_date\nada@example.com,Unknown,2026-02-02,2026-02-03'),
    ].map(({ id }) => id);
    await work();
    const found = await Promise.all(ids.map(read));
    expect(found.map(({ state }) => state)).toEqual(['imported', 'imported', 'refused']);
    expect(found.map(({ failed }) => failed)).toEqual([0, 0, 1]);
    expect(await problemsOf(ids[2]!)).toMatchObject([{ line: 2, field: 'category', issue: expect.any(String) }]);
  });

  it.each([
    ['a row that is no CSV', 'work_email,first_name\nada@example.com,"Ada', ['row']],
    ['a header that is another one', 'salary\n12', ['work_email', 'salary']],
    ['refused rows alone', csvOf('no address,Ada,Byron,soon,'), ['work_email', 'start_date']],
    ['a header alone', HEADER, ['file']],
  ])(
    'ends as refused where nothing of it can be imported, from the check and from the run, and cannot be run: %s',
    async (_, csv, fields) => {
      for (const more of [{}, { dry_run: false }]) {
        const { id } = await asked(csv, more);
        await work();
        expect(await read(id)).toMatchObject({
          state: 'refused',
          created: 0,
          changed: 0,
          unchanged: 0,
          ended_at: expect.any(String),
        });
        expect((await problemsOf(id)).map(({ field }) => field)).toEqual(fields);
        expect((await storedOf(id)).file).toBeNull();
        expectError(await client.post(`/imports/${id}/run`, {}), 409, 'conflict', 'state');
        expectError(await client.post(`/imports/${id}/cancel`, {}), 409, 'conflict', 'state');
      }
    },
  );

  it('shows what would change of people who are there, before and after and from when, and so does the import', async () => {
    await asked(GOOD, { dry_run: false });
    await work();
    const snapshot =
      'Work E-Mail;Hire date;Job;Department\nada@example.com;2026-01-05;Lead;Research\nGRACE@example.com;2026-01-12;;\n';
    const without = await asked(snapshot, { create_missing: true });
    await work();
    expect(await read(without.id)).toMatchObject({ state: 'checked', changed: 1, failed: 1 });
    expect(await problemsOf(without.id)).toMatchObject([{ line: 2, field: 'effective_date' }]);
    const { id } = await asked(snapshot, { create_missing: true, effective_date: '2026-11-01' });
    await work();
    const changes = [
      {
        line: 2,
        subject: 'ada@example.com',
        field: 'job_title',
        before: null,
        after: 'Lead',
        effective_date: '2026-11-01',
      },
      {
        line: 2,
        subject: 'ada@example.com',
        field: 'department',
        before: null,
        after: 'Research',
        effective_date: '2026-11-01',
      },
      {
        line: 3,
        subject: 'grace@example.com',
        field: 'work_email',
        before: 'grace@example.com',
        after: 'GRACE@example.com',
        effective_date: null,
      },
    ];
    const shown = async () => (await client.get(`/imports/${id}/changes`)).json.data;
    expect(await read(id)).toMatchObject({
      state: 'checked',
      changed: 2,
      changes: 3,
      effective_date: '2026-11-01',
      match_by: null,
    });
    expect(await shown()).toEqual(changes);
    const { rows } = await api.database.pool.query(
      'select c::text as text from import_changes c where import_id = $1',
      [id],
    );
    expect(rows.map(({ text }: { text: string }) => text).join()).not.toMatch(/example\.com|Research/);
    await client.post(`/imports/${id}/run`, {});
    await work();
    expect(await read(id)).toMatchObject({ state: 'imported', changed: 2, changes: 3 });
    expect(await shown()).toEqual(changes);
  });

  it('leaves unknown columns out with a warning, refuses the file where that is wanted, and reads mapped ones', async () => {
    const csv = '\ufeffMail;Personalnummer;Gehalt\nada@example.com;A-1;1000';
    const warned = await asked(csv);
    const refused = await asked(csv, { refuse_unknown_columns: true });
    const mapping = [
      { header: 'personalnummer', column: 'staff_id' },
      { header: 'Gehalt', column: null },
    ];
    const mapped = await asked(csv, { mapping });
    await work();
    expect(await read(warned.id)).toMatchObject({ state: 'checked', created: 1, warnings: 2, problems: 0 });
    expect(await problemsOf(warned.id)).toMatchObject([
      { line: 1, field: 'Personalnummer', severity: 'warning' },
      { line: 1, field: 'Gehalt', severity: 'warning' },
    ]);
    expect(await read(refused.id)).toMatchObject({ state: 'refused', problems: 2 });
    expect(await read(mapped.id)).toMatchObject({ state: 'checked', warnings: 0 });
    const remembered = await client.patch<{ kinds: { kind: string; mapping: object[] }[] }>('/import-columns', {
      kind: 'people',
      mapping,
    });
    expect(remembered.json.data.kinds.find(({ kind }) => kind === 'people')!.mapping).toEqual(mapping);
    expect((await client.get('/import-columns')).json.data).toEqual(remembered.json.data);
    const again = await asked(csv, { dry_run: false });
    await work();
    expect(await read(again.id)).toMatchObject({ state: 'imported', created: 1, warnings: 0 });
    expect((await client.get<{ staff_id: string }[]>('/people')).json.data[0]!.staff_id).toBe('A-1');
    for (const bad of [
      [{ header: '—', column: 'staff_id' }],
      [{ header: 'a', column: 'salary' }],
      [mapping[0], mapping[0]],
    ])
      expectError(await ask(csv, { mapping: bad }), 400, 'invalid_request');
  });

  it('is cancelled while it waits, and then cannot be run', async () => {
    const { id } = await asked(GOOD);
    expect((await client.post<Import>(`/imports/${id}/cancel`, {})).json.data.state).toBe('cancelled');
    expect((await client.post<Import>(`/imports/${id}/cancel`, {})).json.data.state).toBe('cancelled');
    expectError(await client.post(`/imports/${id}/run`, {}), 409, 'conflict', 'state');
    await work();
    expect((await read(id)).state).toBe('cancelled');
    expect((await storedOf(id)).file).toBeNull();
    const imported = await asked(GOOD, { dry_run: false });
    expectError(await client.post(`/imports/${(await asked(GOOD)).id}/run`, {}), 409, 'conflict', 'state');
    await work();
    expectError(await client.post(`/imports/${imported.id}/cancel`, {}), 409, 'conflict', 'state');
  });

  it('waits beside nineteen others of its organisation at most, however many are asked for at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 22 }, () => ask(GOOD)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(2);
    for (const answer of refused) expectError(answer, 409, 'conflict', 'imports');
    await (await api.organisation()).client.post('/imports', { kind: 'people', file_name: 'a.csv', csv: GOOD });
    const { id } = answers.find(({ status }) => status === 201)!.json.data;
    await client.post(`/imports/${id}/cancel`, {});
    await asked(GOOD);
  });

  it('takes files of megabytes, when other bodies of that size are refused', async () => {
    const line = `${'x'.repeat(90)}@example.com,A,B,2026-01-05,`;
    const csv = csvOf(...Array.from({ length: 30_000 }, () => line));
    expect(csv.length).toBeGreaterThan(3_000_000);
    const { id } = await asked(csv);
    await client.post(`/imports/${id}/cancel`, {});
    expectError(await ask('x'.repeat(4_194_305)), 413, 'invalid_request');
    expectError(await client.post('/webhooks', { name: 'x'.repeat(300_000) }), 413, 'invalid_request');
    expectError(await ask(''), 400, 'invalid_request', 'csv');
    expectError(await ask(GOOD, { kind: 'salaries' }), 400, 'invalid_request', 'kind');
  });
});

describe('the file of an import', () => {
  it('is stored encrypted, and so are its problems', async () => {
    const { id } = await asked(WITH_PROBLEMS);
    await work();
    const { rows } = await api.database.pool.query(
      `select i::text || coalesce(string_agg(p::text, ''), '') || encode(i.file, 'escape') || string_agg(encode(p.sealed, 'escape'), '') as text
         from imports i join import_problems p on p.import_id = i.id where i.id = $1 group by i.*, i.file`,
      [id],
    );
    const { text } = rows[0] as { text: string };
    expect(text).toContain('starters.csv');
    for (const personal of ['Hopper', 'example.com', 'marker-of-nobody', 'soon']) expect(text).not.toContain(personal);
  });

  it('is destroyed after a day without a start; problems after a week, and the record after ninety days', async () => {
    const { id } = await asked(WITH_PROBLEMS);
    await work();
    const age = (interval: string): Promise<unknown> =>
      api.database.pool.query(
        `update imports set created_at = created_at - $2::interval, updated_at = updated_at - $2::interval, ended_at = ended_at - $2::interval where id = $1`,
        [id, interval],
      );
    await age('23 hours');
    await purgeImports(api.database.pool);
    expect((await read(id)).state).toBe('checked');
    await age('2 hours');
    await purgeImports(api.database.pool);
    expect(await read(id)).toMatchObject({ state: 'expired', are_problems_kept: true });
    expect((await storedOf(id)).file).toBeNull();
    expectError(await client.post(`/imports/${id}/run`, {}), 409, 'conflict', 'state');
    await age('7 days');
    await purgeImports(api.database.pool);
    expect(await read(id)).toMatchObject({ are_problems_kept: false, problems: 2 });
    expect(await storedOf(id)).toEqual({ file: null, key: null, texts: 0 });
    expect(await problemsOf(id)).toEqual([]);
    await age('90 days');
    await purgeImports(api.database.pool);
    expectError(await client.get(`/imports/${id}`), 404, 'not_found');
  });

  it('is destroyed when a person is erased, with the problems, and a run of it stops', async () => {
    await asked(GOOD, { dry_run: false });
    await work();
    const waiting = await asked(WITH_PROBLEMS);
    await work();
    const people = (await client.get<{ id: string; work_email: string }[]>('/people')).json.data;
    const ada = people.find((person) => person.work_email === 'ada@example.com')!.id;
    const running = await asked(csvOf('ada@example.com,Ada,Byron,2026-01-05,'), { dry_run: false });
    let erasure: Promise<unknown> | null = null;
    // The run has read its file when the erasure begins.
    const { executor } = api.services;
    const query = async (...values: never[]): Promise<unknown> => {
      erasure ??= erasePerson(api.services, testContext(organisation.row.id), { person_id: ada, reason: null });
      await eventually(async () => (await storedOf(running.id)).file === null);
      return (executor.query as (...given: never[]) => Promise<unknown>).apply(executor, values);
    };
    const held: CommandServices = {
      ...api.services,
      executor: Object.assign(Object.create(executor) as typeof executor, { query }),
    };
    await work(held);
    await erasure;
    expect(await read(waiting.id)).toMatchObject({ state: 'cancelled', are_problems_kept: false });
    expect(await read(running.id)).toMatchObject({ state: 'cancelled', are_problems_kept: false });
    for (const { id } of [waiting, running]) expect(await storedOf(id)).toEqual({ file: null, key: null, texts: 0 });
    expect(
      new Set((await client.get<{ file_name: string }[]>('/imports')).json.data.map((one) => one.file_name)),
    ).toEqual(new Set(['[erased]']));
    expect(await emails()).not.toContain('ada@example.com');
  });
});

describe('a worker', () => {
  it('goes on with an import whose worker has ended, and gives up after five', async () => {
    const { id } = await asked(GOOD, { dry_run: false });
    const claim = (import_id = id): Promise<unknown> =>
      claimImport(
        api.database.pool,
        { organisation_id: organisation.row.id, id: import_id },
        '00000000-0000-4000-8000-000000000001',
      );
    const loseLease = (): Promise<unknown> =>
      api.database.pool.query(
        `update imports set leased_until = clock_timestamp() - interval '1 second' where id = $1`,
        [id],
      );
    expect(await claim()).toMatchObject({ id, state: 'importing' });
    await work();
    expect((await read(id)).state).toBe('importing');
    await loseLease();
    await work();
    expect(await read(id)).toMatchObject({ state: 'imported', created: 2 });

    const bad = await asked(GOOD, { dry_run: false });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await claim(bad.id)).toMatchObject({ id: bad.id });
      await api.database.pool.query(
        `update imports set leased_until = clock_timestamp() - interval '1 second' where id = $1`,
        [bad.id],
      );
    }
    expect(await claim(bad.id)).toBe('ended');
    expect((await read(bad.id)).state).toBe('failed');
    expect((await storedOf(bad.id)).file).toBeNull();
  });
});
