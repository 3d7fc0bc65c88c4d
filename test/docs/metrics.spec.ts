import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { measuredMetrics } from '../support/measured-metrics.js';

const PAGE = readFileSync(resolve(__dirname, '..', '..', 'docs', 'reference', 'metrics.md'), 'utf8');

it('the page of metrics has each that is measured, and no other', async () => {
  const names = (await measuredMetrics()).map(({ name }) => name);
  const rows = [...PAGE.matchAll(/^\| `(workforce_\w+)` \|(?:[^|]*\|){3}$/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(names.filter((name) => name.startsWith('workforce_')).sort());
});
