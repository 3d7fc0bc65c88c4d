import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OF_ACME, programOfAcme } from '../../test/support/program.js';
import { temporaryDirectory } from '../../test/support/test-server.js';

const { workforce, json } = programOfAcme();

let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(directory, name), content);
  return join(directory, name);
}

describe('workforce import locations', () => {
  it('reports as the import of people does, writes nothing in a dry run, and changes nothing when it is repeated', async () => {
    const path = await file(
      'locations.csv',
      'label,address_line_1,city,country,capacity\nOslo,"2 Kort Vei\nOppgang B",Oslo,no,40\nLeeds,1 Lane,Leeds,UK,\nYork,1 Lane,York,GB,few\n',
    );
    const problems = [
      { line: 4, field: 'country', issue: 'must be an ISO 3166-1 alpha-2 code, such as GB' },
      { line: 5, field: 'capacity', issue: 'must be a whole number from 0 to 1000000' },
    ];
    const run = async (...more: readonly string[]) => {
      const { code, stdout, stderr } = await workforce('import', 'locations', path, ...OF_ACME, '--json', ...more);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const counts = { rows: 3, created: 1, changed: 0, unchanged: 0, failed: 2 };
    const report = { ...counts, problems, warnings: [], changes: [], rows_per_second: expect.any(Number) as number };
    expect(await run('--dry-run')).toEqual(report);
    expect(await json('locations', 'list', ...OF_ACME)).toEqual({ locations: [] });
    expect(await run()).toEqual(report);
    expect(await run()).toEqual({ ...report, created: 0, unchanged: 1 });
    expect(await json('locations', 'list', ...OF_ACME)).toMatchObject({
      locations: [{ label: 'Oslo', address_line_1: '2 Kort Vei Oppgang B', country: 'NO', capacity: 40 }],
    });
    expect((await workforce('import', 'locations', path, ...OF_ACME, '--create-missing')).stderr).toContain(
      "unknown option '--create-missing'",
    );
  });
});
