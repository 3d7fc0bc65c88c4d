import { readFile, writeFile } from 'node:fs/promises';
import { measureAppends } from './benches/appends.js';
import { measureDirectory } from './benches/directory.js';
import { measureEventStoreDb } from './benches/eventstoredb.js';
import { measureFairness } from './benches/fairness.js';
import { measureImport } from './benches/imports.js';
import { measureLongStreams } from './benches/long-streams.js';
import { measureRebuild } from './benches/rebuilds.js';
import { REQUEST_BENCHES } from './benches/request-measurement.js';
import { measureRequests } from './benches/requests.js';
import { Setting } from './benches/setting.js';
import { measureStart } from './benches/start.js';
import { measureToolReads } from './benches/tool-reads.js';
import { measureWebhooks } from './benches/webhooks.js';
import { type BenchName, type Options, readOptions, USAGE, UsageError } from './options.js';
import { business, disk, machine } from './report/machine.js';
import { methodOf } from './report/method.js';
import { pageOf, withTable } from './report/page.js';
import { type Line, middleOf, tableOf } from './report/table.js';

const REPORT = 'docs/benchmarks.md';
const README = 'README.md';
const SECONDS_A_MINUTE = 60;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Benches that are measured together, each time in the order of the table. */
const GROUPS: readonly { readonly names: readonly BenchName[]; readonly measure: (setting: Setting) => Promise<readonly Line[]> }[] = [
  {
    names: REQUEST_BENCHES,
    measure: (setting) =>
      measureRequests(
        setting,
        REQUEST_BENCHES.filter((name) => setting.options.only.includes(name)),
      ),
  },
  { names: ['directory'], measure: measureDirectory },
  { names: ['long-streams'], measure: measureLongStreams },
  { names: ['fairness'], measure: measureFairness },
  { names: ['mcp'], measure: measureToolReads },
  { names: ['append'], measure: measureAppends },
  { names: ['import'], measure: measureImport },
  { names: ['rebuild'], measure: measureRebuild },
  { names: ['eventstoredb'], measure: measureEventStoreDb },
  { names: ['webhooks'], measure: measureWebhooks },
  { names: ['start'], measure: measureStart },
];

/** Measures group by group. A group that fails is reported, and the others go on: a run takes half an hour. */
async function measure(setting: Setting): Promise<{ readonly lines: readonly Line[]; readonly failures: readonly string[] }> {
  const lines: Line[] = [];
  const failures: string[] = [];
  for (const { names, measure: measureGroup } of GROUPS) {
    const wanted = names.filter((name) => setting.options.only.includes(name));
    if (wanted.length === 0) continue;
    try {
      lines.push(...(await measureGroup(setting)));
    } catch (error) {
      failures.push(`${wanted.join(', ')}: ${textOf(error)}`);
      setting.say(failures.at(-1)!);
    }
  }
  return { lines, failures };
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), REPORT);
  const busy = business();
  const startedAt = performance.now();
  const runs: Run[] = [];
  for (let run = 1; run <= options.runs; run += 1) {
    if (options.runs > 1) process.stderr.write(`Run ${run} of ${options.runs}\n`);
    runs.push(await measureOnce(options));
  }
  const { version, place } = runs[0]!;
  const lines = middleOf(runs.map((run) => run.lines));
  const failures = runs.flatMap((run) => run.failures);
  const minutes = (performance.now() - startedAt) / 1_000 / SECONDS_A_MINUTE;
  const circumstances = [busy, place, `${options.runs === 1 ? 'The run' : `The ${options.runs} runs`} took ${minutes.toFixed(0)} minutes.`];
  process.stdout.write(`${machine(version)}. ${circumstances.join(' ')}\n\n${tableOf(lines)}\n`);
  if (failures.length > 0) throw new Error(`Nothing was written, because these failed:\n${failures.join('\n')}`);
  if (options.output !== null)
    await writeFile(options.output, pageOf(lines, { machine: machine(version), circumstances, method: methodOf(options) }));
  if (options.writesReadme) await writeFile(README, withTable(await readFile(README, 'utf8'), lines));
}

/** What one run measured, and what it failed to. */
interface Run {
  readonly lines: readonly Line[];
  readonly failures: readonly string[];
  readonly version: string;
  /** Where the data were, in a sentence. */
  readonly place: string;
}

/** Measures everything that is asked for once, with servers of its own. */
async function measureOnce(options: Options): Promise<Run> {
  const setting = await Setting.open(options);
  const end = (): void => void setting.close().finally(() => process.exit(1));
  // PostgreSQL would go on without its parent.
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    return { ...(await measure(setting)), version: await setting.postgresVersion(), place: disk(setting.directory) };
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, end);
    await setting.close();
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main().catch((error: unknown) => {
  process.stderr.write(error instanceof UsageError ? `${error.message}\n${USAGE}` : `${textOf(error)}\n`);
  process.exitCode = 1;
});
