import { countTurns } from '../../test/support/event-loop/count-turns.js';
import { MAX_OPEN_BYTES, MAX_OPEN_IMPORTS } from '#csv-import/import-jobs.js';
import { readCsv } from '#csv-import/read-csv.js';
import { capacityRejection } from './request-import.js';
import { piecesOf } from './run-imports.js';

it('reads a file of megabytes row by row, and yields to other work after every piece', async () => {
  const csv = `work_email,first_name\n${'ada@example.com,Ada\n'.repeat(50_000)}`;
  const { result, turns } = await countTurns(async () => {
    let rows = 0;
    for await (const { cells } of readCsv(piecesOf(csv))) rows += cells.length === 2 ? 1 : 0;
    return rows;
  });
  expect(result).toBe(50_001);
  expect(turns).toBeGreaterThanOrEqual(Math.floor(csv.length / 32_000));
});

it('accepts an import within the limits of waiting and running ones, and names the limit that is reached', () => {
  const issuesOf = (imports: number, bytes: number, more: number) =>
    capacityRejection({ imports, bytes }, more)?.details;
  expect(issuesOf(MAX_OPEN_IMPORTS - 1, MAX_OPEN_BYTES - 10, 10)).toBeUndefined();
  expect(issuesOf(MAX_OPEN_IMPORTS, 0, 1)).toEqual([
    { field: 'imports', issue: expect.stringMatching(/^20 imports .* cancel a waiting one/) },
  ]);
  expect(issuesOf(0, MAX_OPEN_BYTES - 10, 11)).toEqual([
    { field: 'csv', issue: expect.stringMatching(/33554432 bytes together.*cancel a waiting one/) },
  ]);
});
