import { testContext, testServices } from '../../../test/support/command-services.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import type { CommandServices } from '#commands/services.js';
import { organisationIdOf } from '../organisation/organisation.api.js';
import { commandLocation, importLocations } from './location.api.js';
import { locationTable } from './location.js';

const HEADER = 'label,address_line_1,address_line_2,city,postal_code,country,capacity';
const LONDON = 'London office,1 Long Lane,Third floor,London,EC1A 9HF,gb,40';
const OSLO = 'Oslo,2 Kort Vei,,Oslo,0150,NO,';

const database = databaseForSpec();
let services: CommandServices;
let organisationId: string;
beforeAll(async () => {
  services = testServices(database);
});
beforeEach(() => {
  organisationId = organisationIdOf(services.mint, expect.getState().currentTestName!);
});

async function* rowsOf(lines: readonly string[]) {
  for (const [index, line] of lines.entries()) yield { line: index + 1, cells: line.split(',') };
}

async function importLines(lines: readonly string[], dryRun = false, described: object[] = []) {
  const settings = {
    pool: database.pool,
    services,
    context: testContext(organisationId),
    today: () => '2026-03-01',
    dryRun,
    onRead: () => undefined,
    onSettled: () => undefined,
  };
  const { rows, created, changed, unchanged, failed, problems, changes } = await importLocations(
    settings,
    rowsOf(lines),
  );
  described.push(...changes);
  expect(created + changed + unchanged + failed).toBe(rows);
  return { created, changed, unchanged, failed, problems };
}

const locations = () => locationTable.list(database.pool, organisationId);
const events = async () =>
  (
    await database.pool.query<{ type: string }>('select type from events where stream like $1 order by position', [
      `location-${organisationId}.%`,
    ])
  ).rows.map(({ type }) => type);

describe('an import of locations', () => {
  it('creates missing locations, and changes nothing when it is repeated', async () => {
    expect(await importLines([HEADER, LONDON, OSLO])).toEqual({
      created: 2,
      changed: 0,
      unchanged: 0,
      failed: 0,
      problems: [],
    });
    expect(await locations()).toMatchObject([
      {
        label: 'London office',
        address_line_1: '1 Long Lane',
        address_line_2: 'Third floor',
        address_line_3: null,
        city: 'London',
        region_state: '',
        postal_code: 'EC1A 9HF',
        country_code: 'GB',
        capacity: 40,
        is_active: true,
      },
      { label: 'Oslo', address_line_2: null, country_code: 'NO', capacity: null },
    ]);
    expect(await importLines([HEADER, LONDON, OSLO])).toEqual({
      created: 0,
      changed: 0,
      unchanged: 2,
      failed: 0,
      problems: [],
    });
    expect(await events()).toEqual(['LocationCreated', 'LocationCreated']);
  });

  it('changes what a row names of a location that is there, by its label without case, and leaves the rest', async () => {
    await importLines([HEADER, LONDON]);
    const [before] = await locations();
    await commandLocation(services, testContext(organisationId), before!.id, { type: 'deactivate' });
    expect(await importLines(['label,capacity', 'LONDON  OFFICE,12'])).toMatchObject({ changed: 1 });
    expect(await locations()).toMatchObject([
      { id: before!.id, label: 'London office', address_line_2: 'Third floor', capacity: 12, is_active: false },
    ]);
  });

  it('writes nothing in a dry run, and counts and refuses as the import does', async () => {
    await importLines([HEADER, LONDON]);
    const lines = [
      HEADER,
      LONDON.replace('40', '41'),
      OSLO,
      'Bergen,,,,,NO,',
      'oslo,3 Vei,,Oslo,,NO,',
      'Rome,1 Via,,Rome,,IT,',
    ];
    const before = await events();
    const preview = await importLines(lines, true);
    expect(preview).toMatchObject({ created: 1, changed: 1, unchanged: 0, failed: 3 });
    expect(await events()).toEqual(before);
    expect(await locations()).toHaveLength(1);
    expect(await importLines(lines)).toEqual(preview);
  });

  it('reports every problem with its line', async () => {
    const bad = [
      HEADER,
      LONDON,
      ',1 Lane,,Leeds,,UK,many',
      'Nowhere,,,,,,',
      'Short,1 Lane',
      'london office,1 Long Lane,,London,,GB,',
    ];
    expect(await importLines(bad)).toEqual({
      created: 0,
      changed: 0,
      unchanged: 0,
      failed: 5,
      problems: [
        { line: 2, field: 'label', issue: 'is also on line 6: a file may contain it once' },
        { line: 3, field: 'label', issue: 'is required' },
        { line: 3, field: 'country', issue: 'must be an ISO 3166-1 alpha-2 code, such as GB' },
        { line: 3, field: 'capacity', issue: 'must be a whole number from 0 to 1000000' },
        { line: 4, field: 'address_line_1', issue: 'is required for a location that is not there yet' },
        { line: 4, field: 'city', issue: 'is required for a location that is not there yet' },
        { line: 4, field: 'country', issue: 'is required for a location that is not there yet' },
        { line: 5, field: 'row', issue: 'has 2 cells, and the header has 7' },
        { line: 6, field: 'label', issue: 'is also on line 2: a file may contain it once' },
      ],
    });
  });

  it('takes what spreadsheets make of headers and numbers, and reports what it changes', async () => {
    await importLines([HEADER, LONDON]);
    const changes: object[] = [];
    expect(
      await importLines(['Office,Post code,Seats,Colour', 'LONDON office,EC1A 9HG,41.0,red'], false, changes),
    ).toMatchObject({ changed: 1 });
    expect(changes).toEqual([
      {
        line: 2,
        subject: 'London office',
        field: 'postal_code',
        before: 'EC1A 9HF',
        after: 'EC1A 9HG',
        effective_date: null,
      },
      { line: 2, subject: 'London office', field: 'capacity', before: '40', after: '41', effective_date: null },
    ]);
  });

  it('refuses a header that is not its own before anything else', async () => {
    expect(await importLines(['city,colour', 'Oslo,blue'])).toMatchObject({
      created: 0,
      failed: 0,
      problems: [{ line: 1, field: 'label', issue: 'the header needs a column label' }],
    });
  });
});
