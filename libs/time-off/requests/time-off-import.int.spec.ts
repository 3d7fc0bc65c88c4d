import { testContext, testServices } from '../../../test/support/command-services.js';
import { allReadable, databaseForSpec } from '../../../test/support/postgres.js';
import { newOrganisation } from '../../../test/support/api/test-api.js';
import { PeopleWriter } from '#people/record/people-writer.js';
import type { CommandServices } from '#commands/services.js';
import { createTimeOffCategory } from '../category/time-off-category.api.js';
import { importTimeOff } from './time-off-import.js';
import { stepTimeOff } from './request-time-off.js';

const HEADER = 'work_email,staff_id,category,start_date,end_date,start_day_part,end_day_part,status';
const ADA = 'ada@example.com,,Annual leave,2026-03-02,2026-03-06,,morning,approved';
const BOB = ',S2,annual LEAVE,2026-03-02,2026-03-02,afternoon,,';

const database = databaseForSpec();
let services: CommandServices;
let organisationId: string;

beforeEach(async () => {
  services = testServices(database);
  organisationId = (await newOrganisation(services, 'UTC')).id;
  await createTimeOffCategory(services, testContext(organisationId), { label: 'Annual leave' });
  await createTimeOffCategory(services, testContext(organisationId), { label: 'Sick', requires_approval: false });
  const writer = new PeopleWriter({
    pool: database.pool,
    eventStore: services.store,
    projector: services.projector,
    mint: services.mint,
  });
  for (const [name, staffId] of [
    ['ada', 'S1'],
    ['bob', 'S2'],
  ] as const) {
    const identity = {
      work_email: `${name}@example.com`,
      first_name: name,
      preferred_name: null,
      last_name: null,
      staff_id: staffId,
    };
    await writer.create(testContext(organisationId), { identity, startDate: '2024-01-01', terms: {} }, new Map());
  }
});

async function* rowsOf(lines: readonly string[]) {
  for (const [index, line] of lines.entries()) yield { line: index + 1, cells: line.split(',') };
}

async function importLines(lines: readonly string[], dryRun = false, header = HEADER) {
  const settings = {
    pool: database.pool,
    services,
    context: testContext(organisationId),
    today: () => '2026-03-01',
    dryRun,
    onRead: () => undefined,
    onSettled: () => undefined,
  };
  const { rows, created, changed, unchanged, failed, problems } = await importTimeOff(
    settings,
    rowsOf([header, ...lines]),
  );
  expect(created + changed + unchanged + failed).toBe(rows);
  return { created, changed, unchanged, failed, problems };
}

const records = async () =>
  (
    await database.pool.query<{ id: string; start_date: string; status_code: string; total_minutes: number }>(
      `select id, start_date, status_code, total_minutes from time_off where organisation_id = $1
       order by start_date, total_minutes desc, id`,
      [organisationId],
    )
  ).rows;
const allEvents = async () => {
  await allReadable(database.pool);
  return services.store.readAll(null, 1_000);
};
const eventCount = async () => (await allEvents()).length;

describe('an import of time off', () => {
  it('takes what spreadsheets and data frames make of headers, dates, halves of days and statuses', async () => {
    const header = 'Employee ID,Leave type,From,To,Start half,End half,Approval status,Comment';
    const lines = [
      'S1,Annual leave,2026-03-02 00:00:00,2026-03-06 00:00:00,PM,AM,Approved,x',
      'S2,Sick,2026-03-02,2026-03-02,Full day,,,',
    ];
    expect(await importLines(lines, false, header)).toMatchObject({ created: 2, failed: 0 });
    expect(await importLines(lines, false, header)).toMatchObject({ unchanged: 2 });
    expect(
      await importLines(['ada@example.com,,Annual leave,2026-03-02,2026-03-06,afternoon,morning,approved']),
    ).toMatchObject({ unchanged: 1 });
  });

  it('requests and approves by the rules of the API, and changes nothing when it is repeated', async () => {
    expect(await importLines([ADA, BOB])).toEqual({ created: 2, changed: 0, unchanged: 0, failed: 0, problems: [] });
    expect(await records()).toMatchObject([
      { status_code: 'approved', total_minutes: 2_160 },
      { status_code: 'pending', total_minutes: 240 },
    ]);
    const before = await eventCount();
    expect(await importLines([ADA, BOB])).toEqual({ created: 0, changed: 0, unchanged: 2, failed: 0, problems: [] });
    expect(await eventCount()).toBe(before);
    const ids = (await allEvents()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('brings a record to the status of its row, unless it already has a later one', async () => {
    await importLines([BOB]);
    expect(await importLines([`${BOB}approved`])).toMatchObject({ changed: 1 });
    const [record] = await records();
    await stepTimeOff(services, testContext(organisationId), record!.id, 'cancel');
    expect(await importLines([BOB, `${BOB}approved`])).toMatchObject({ unchanged: 2, problems: [] });
    expect(await records()).toMatchObject([{ id: record!.id, status_code: 'cancelled' }]);
  });

  it('writes nothing in a dry run, and counts and refuses as the import does', async () => {
    const lines = [
      ADA,
      `${BOB}rejected`,
      ADA.replace('approved', 'cancelled'),
      'bob@example.com,,Sick,2026-03-02,2026-03-03,,,',
      'ada@example.com,,Sick,2026-03-05,2026-03-05,,,',
    ];
    const before = await eventCount();
    const preview = await importLines(lines, true);
    expect(preview).toMatchObject({ created: 4, changed: 1, failed: 0 });
    expect(await eventCount()).toBe(before);
    expect(await importLines(lines)).toEqual(preview);
  });

  it('reports every problem with its line', async () => {
    const bad = [
      ADA,
      ',,Annual leave,2026-02-30,,evening,,done',
      'nobody@example.com,,Annual leave,2026-03-02,2026-03-02,,,',
      'ada@example.com,S2,Annual leave,2026-05-11,2026-05-11,,,',
      ',S2,Holiday,2026-05-11,2026-05-11,,,',
      ',S2,Sick,2026-05-11,2026-05-11,,,pending',
      'ada@example.com,,Sick,2026-03-06,2026-03-09,,,',
      ',S2,Sick,2023-12-29,2023-12-29,,,',
      ',S2,Sick,2026-05-12,2026-05-11,,,',
    ];
    expect(await importLines(bad)).toEqual({
      created: 1,
      changed: 0,
      unchanged: 0,
      failed: 8,
      problems: [
        { line: 3, field: 'staff_id', issue: 'staff_id or work_email is required' },
        { line: 3, field: 'end_date', issue: 'is required' },
        { line: 3, field: 'start_date', issue: 'must be a date that exists, written YYYY-MM-DD' },
        { line: 3, field: 'start_day_part', issue: 'must be one of: full, morning, afternoon' },
        { line: 3, field: 'status', issue: 'must be one of: pending, approved, rejected, cancelled' },
        { line: 4, field: 'work_email', issue: 'there is no such person: nobody@example.com' },
        { line: 5, field: 'staff_id', issue: 'is not the staff_id of ada@example.com' },
        { line: 6, field: 'category', issue: 'there is no such time-off category: Holiday' },
        { line: 7, field: 'status', issue: 'cannot be pending: this category needs no approval' },
        { line: 8, field: 'start_date', issue: 'a selected date overlaps other time off of this person' },
        { line: 9, field: 'start_date', issue: 'the person is not employed on 2023-12-29' },
        { line: 10, field: 'end_date', issue: 'is before start_date' },
      ],
    });
    expect(await records()).toHaveLength(1);
  });
});
