import { writeFile } from 'node:fs/promises';
import { measureAppends } from './benches/appends.js';
import { measureImport } from './benches/imports.js';
import { measureRebuild } from './benches/rebuilds.js';
import { measureRequests } from './benches/requests.js';
import { Setting } from './benches/setting.js';
import { measureTimeOff } from './benches/time-off.js';
import { measureWebhooks } from './benches/webhooks.js';
import { IN_FLIGHT } from './benches/webhooks/stage.js';
import { type Options, readOptions, USAGE } from './options.js';
import { RECORDS } from './time-off-history.js';
import { business, type Line, machine, pageOf, tableOf } from './table.js';

const REPORT = 'docs/benchmarks.md';

async function measure(setting: Setting): Promise<readonly Line[]> {
  const { only } = setting.options;
  const requests = (['read', 'list', 'patch'] as const).filter((name) => only.includes(name));
  const lines: Line[] = [];
  if (requests.length > 0) lines.push(...(await measureRequests(setting, requests)));
  if (only.includes('time-off')) lines.push(...(await measureTimeOff(setting)));
  if (only.includes('append')) lines.push(...(await measureAppends(setting)));
  if (only.includes('import')) lines.push(...(await measureImport(setting)));
  if (only.includes('rebuild')) lines.push(...(await measureRebuild(setting)));
  if (only.includes('webhooks')) lines.push(...(await measureWebhooks(setting)));
  return lines;
}

function methodOf(options: Options): readonly string[] {
  return [
    `Ratios are within one run: product and bare server are loaded in turns, ${options.rounds} rounds of ${options.seconds} s each; the ratio is the median of the rounds' ratios (lowest–highest beside it), absolute figures are medians.`,
    `The product runs as \`workforce api\` does: authentication, budgets (high), scopes, validation, headers, log level ${options.logLevel}. The bare server is Fastify alone, with one prepared statement over the same table, without joins, a response schema, and no check of anything; for a write, one transaction with two inserts of rows as long as the event and the receipt.`,
    `Both have the same pool of database connections and the same load generator (node:http, keep-alive, ${options.connections} connections, for writes 16) in a process of its own. ${options.people} people, asked for in an order in which neighbours are far apart.`,
    'A PATCH carries If-Match and an Idempotency-Key of its own, and is answered when its event is on the disk; so is a POST, without If-Match.',
    `Time off is of an organisation of its own, as large, with ${RECORDS} records a person over two years. The list takes the first pages of seven quarters in turn; the bare server leaves out what is in progress on a window's first day. New records are single days, each of another person; one kind is checked against an allowance that may not be overdrawn.`,
    `Webhooks: API, worker (as \`workforce worker\` runs it, wake signals through PostgreSQL), receiver and whoever appends or writes are processes of their own. Events are appended so that at most ${IN_FLIGHT} are on their way to an endpoint. The bare sender posts what the worker would, signed, over as many connections, without a database. Each delivery counts when it is recorded as delivered; statements are all that the worker's connections sent, begins and commits too.`,
    'A rebuild includes everything from the first event to the swap: folding, COPY, all indexes and constraints, hashes of the old and the new tables. Events are hashed, chained and sealed as the product writes them.',
  ];
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), REPORT);
  const busy = business();
  const setting = await Setting.open(options);
  try {
    const version = await setting.postgresVersion();
    const lines = await measure(setting);
    process.stdout.write(`${machine(version)}. ${busy}\n\n${tableOf(lines)}\n`);
    if (options.output !== null) await writeFile(options.output, pageOf(lines, machine(version), busy, methodOf(options)));
  } finally {
    await setting.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n${USAGE}`);
  process.exitCode = 1;
});
