import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BalanceResponse } from '#time-off/balances/balance-shapes.js';
import { recordedEvents } from '../../test/support/event-store.js';
import { OF_ACME, programOfAcme } from '../../test/support/program.js';

const { workforce, json, database } = programOfAcme();

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'time-off-'));
  await json(
    'import',
    'people',
    await file('work_email,staff_id,start_date', 'ada@example.com,S1,2024-01-01'),
    ...OF_ACME,
  );
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function file(...lines: readonly string[]): Promise<string> {
  const path = join(directory, 'rows.csv');
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const stored = async () =>
  (
    await database().pool.query<{ id: string; status_code: string }>(
      'select id, status_code from time_off order by start_date',
    )
  ).rows;

describe('workforce import time-off', () => {
  it('reports in a dry run what it would do, does it, and does nothing when it is repeated', async () => {
    const path = await file(
      'staff_id,category,start_date,end_date,status',
      'S1,Annual leave,2026-03-02,2026-03-06,',
      'S1,Annual leave,2026-05-11,2026-05-12,approved',
      'S9,Annual leave,2026-05-13,2026-05-13,',
    );
    const expected = {
      rows: 3,
      created: 2,
      changed: 0,
      unchanged: 0,
      failed: 1,
      problems: [{ line: 4, field: 'staff_id', issue: 'there is no such person: S9' }],
    };
    const dry = await workforce('import', 'time-off', path, ...OF_ACME, '--dry-run', '--json');
    expect([dry.code, JSON.parse(dry.stdout)]).toEqual([1, expect.objectContaining(expected)]);
    expect(await stored()).toEqual([]);
    const done = await workforce('import', 'time-off', path, ...OF_ACME, '--json');
    expect(JSON.parse(done.stdout)).toMatchObject(expected);
    expect((await stored()).map(({ status_code }) => status_code)).toEqual(['pending', 'approved']);
    const again = await workforce('import', 'time-off', path, ...OF_ACME, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ ...expected, created: 0, unchanged: 2 });
  });
});

describe('workforce time-off-balances show', () => {
  const balances = (...more: readonly string[]) => workforce('time-off-balances', 'show', 'S1', ...OF_ACME, ...more);

  it('shows what a person has left at the end of a day, in the unit of the category, as the API does', async () => {
    const asOf = ['--as-of', '2026-05-12'];
    const { code, stdout } = await balances(...asOf);
    const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect([code, lines[0], lines[2]]).toEqual([
      0,
      ['Time off of ada@example.com at the end of 2026-05-12'],
      ['CATEGORY', 'UNIT', 'ALLOWANCE', 'TAKEN', 'REMAINING', 'SCHEDULED', 'PENDING', 'AVAILABLE'],
    ]);
    const {
      person_id,
      as_of,
      balances: read,
    } = JSON.parse((await balances(...asOf, '--json')).stdout) as BalanceResponse;
    expect([person_id, as_of]).toEqual([expect.any(String), '2026-05-12']);
    const annual = read.find(({ category }) => category.label === 'Annual leave')!;
    expect(annual).toMatchObject({ unit: 'days', amounts_unit: 'minutes' });
    const { taken, remaining, available } = annual.days ?? annual;
    const row = lines.find(([label]) => label === 'Annual leave')!;
    expect([row[3], row[4], row[7], Number(row[2])]).toEqual([
      ...[taken, remaining, available].map(String),
      expect.closeTo(taken + remaining),
    ]);
    expect(taken).toBeGreaterThan(0);
  });

  it('refuses a day that does not exist or lies too far ahead, and an unknown person', async () => {
    expect(await balances('--as-of', '2026-02-30')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('YYYY-MM-DD') as string,
    });
    expect(await balances('--as-of', '2926-01-01')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must not be after') as string,
    });
    const unknown = await workforce('time-off-balances', 'show', 'S9', ...OF_ACME);
    expect(unknown).toMatchObject({ code: 4, stderr: 'There is no person S9.\n' });
  });
});

describe('workforce time-off', () => {
  it('approves and cancels as the API does, recorded as an operator, and refuses in a sentence', async () => {
    const [first] = await stored();
    expect(await json('time-off', 'approve', first!.id, ...OF_ACME)).toMatchObject({
      id: first!.id,
      status: 'Approved',
      status_code: 'approved',
      total_days: 5,
    });
    expect(await workforce('time-off', 'approve', first!.id, ...OF_ACME)).toEqual({
      code: 3,
      stdout: '',
      stderr: 'This time off is already approved.\n',
    });
    expect(await workforce('time-off', 'reject', first!.id, ...OF_ACME)).toMatchObject({
      code: 3,
      stderr: 'This time off is approved: it can be cancelled, not rejected.\n',
    });
    expect((await workforce('time-off', 'cancel', first!.id, ...OF_ACME)).stdout).toBe(
      `The time off ${first!.id} from 2026-03-02 to 2026-03-06 is cancelled.\n`,
    );
    expect(await workforce('time-off', 'cancel', 'to_unknown', ...OF_ACME)).toMatchObject({
      code: 4,
      stderr: 'There is no such time-off record.\n',
    });
    const last = (await recordedEvents(database().pool)).findLast(({ stream }) => stream.startsWith('time-off-org'));
    expect(last).toMatchObject({ type: 'TimeOffCancelled', metadata: { actor: { type: 'operator' } } });
  });
});
