import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { measureAppends } from './appends.js';
import { measureDeliveries } from './deliveries.js';
import { installRivals } from './directus.js';
import { importPeople, openInstallation } from './installation.js';
import { withResult } from './page.js';
import { measureRebuild } from './rebuilds.js';
import { measureRequests } from './requests.js';
import { Setting, type Sizes } from './setting.js';
import { measureStart } from './start.js';
import { atLeast, count, type Line, tableOf } from './table.js';

const PAGE = 'docs/explanation/performance.md';
const USAGE =
  'npm run bench -- [--quick] [--output FILE]\nA run that is not quick writes its result into docs/explanation/performance.md, or FILE.\n';
const FULL: Sizes = {
  people: 10_000,
  fewPeople: 2_000,
  rounds: 5,
  seconds: 2,
  warmUp: 3,
  settle: 60,
  idle: 30,
  delays: 200,
};
const QUICK: Sizes = {
  people: 500,
  fewPeople: 200,
  rounds: 2,
  seconds: 0.5,
  warmUp: 0.5,
  settle: 5,
  idle: 5,
  delays: 20,
};
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Rows a second of an imported file of people. */
const IMPORT_FLOOR = 300;

async function main(): Promise<void> {
  const { quick, output } = optionsOf(process.argv.slice(2));
  const [startedAt, [busy = 0]] = [performance.now(), loadavg()];
  const setting = await Setting.open(quick ? QUICK : FULL);
  // PostgreSQL would go on without its parent.
  for (const signal of SIGNALS) process.once(signal, () => void setting.close().finally(() => process.exit(1)));
  try {
    await installRivals(setting);
    const table = tableOf(await measure(setting));
    const [{ server_version }] = (await setting.query<{ server_version: string }>('show server_version')) as [
      { server_version: string },
    ];
    const minutes = (performance.now() - startedAt) / 60_000;
    const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${count(totalmem() / 2 ** 30)} GB of memory, ${process.platform} ${process.arch}, Node.js ${process.versions.node}, PostgreSQL ${server_version}`;
    const result = `${machine}. Others kept ${busy.toFixed(1)} threads running when the run began; it took ${minutes.toFixed(0)} minutes.\n\n${table}\n`;
    process.stdout.write(result);
    const page = output ?? (quick ? null : PAGE);
    if (page !== null) await writeFile(page, withResult(await readFile(PAGE, 'utf8'), result));
  } finally {
    await setting.close();
  }
}

/**
 * Measures everything, in the order of the table. Each line is shown once it is measured, so that a later
 * failure does not lose it.
 */
async function measure(setting: Setting): Promise<readonly Line[]> {
  const { people, fewPeople } = setting.sizes;
  const shown = <Lines extends readonly Line[]>(...lines: Lines): Lines => {
    setting.say(tableOf(lines));
    return lines;
  };
  setting.say('Measuring an import of people …');
  const few = await importPeople(setting, 'few_people', fewPeople);
  const many = await importPeople(setting, 'many_people', people);
  const imported = shown({
    what: `Import of people, ${count(people)} rows`,
    product: `${count(many.rowsPerSecond)} rows/s`,
    baselines: [],
    ratios: [],
    floors: [atLeast(IMPORT_FLOOR, many.rowsPerSecond, ' rows/s')],
  });
  const installation = await openInstallation(setting, many);
  const requests = shown(...(await measureRequests(setting, installation)));
  const deliveries = shown(...(await measureDeliveries(setting, installation)));
  await installation.stop();
  const appends = shown(await measureAppends(setting));
  const rebuild = shown(await measureRebuild(setting, [few, many]));
  const start = shown(await measureStart(setting));
  return [...requests, ...appends, ...rebuild, ...imported, ...deliveries, ...start];
}

function optionsOf(commandLine: readonly string[]) {
  try {
    const options = { quick: { type: 'boolean', default: false }, output: { type: 'string' } } as const;
    return parseArgs({ args: [...commandLine], options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    process.exit(1);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
