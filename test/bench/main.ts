import { writeFile } from 'node:fs/promises';
import { measureAppends } from './benches/appends.js';
import { measureImport } from './benches/imports.js';
import { measureRebuild } from './benches/rebuilds.js';
import { measureRequests } from './benches/requests.js';
import { Setting } from './benches/setting.js';
import { type Options, readOptions, USAGE } from './options.js';
import { business, type Line, machine, pageOf, tableOf } from './table.js';

const REPORT = 'docs/benchmarks.md';

async function measure(setting: Setting): Promise<readonly Line[]> {
  const { only } = setting.options;
  const requests = (['read', 'list', 'patch'] as const).filter((name) => only.includes(name));
  const lines: Line[] = [];
  if (requests.length > 0) lines.push(...(await measureRequests(setting, requests)));
  if (only.includes('append')) lines.push(...(await measureAppends(setting)));
  if (only.includes('import')) lines.push(...(await measureImport(setting)));
  if (only.includes('rebuild')) lines.push(...(await measureRebuild(setting)));
  return lines;
}

function methodOf(options: Options): readonly string[] {
  return [
    `Ratios are within one run: product and bare server are loaded in turns, ${options.rounds} rounds of ${options.seconds} s each; the ratio is the median of the rounds' ratios (lowest–highest beside it), absolute figures are medians.`,
    `The product runs as \`workforce api\` does: authentication, budgets (high), scopes, validation, headers, log level ${options.logLevel}. The bare server is Fastify alone, with one prepared statement over the same table, without joins, a response schema, and no check of anything; for PATCH, one transaction with two inserts of rows as long as the event and the receipt.`,
    `Both have the same pool of database connections and the same load generator (node:http, keep-alive, ${options.connections} connections, for PATCH 16) in a process of its own. ${options.people} people, asked for in an order in which neighbours are far apart.`,
    'A PATCH carries If-Match and an Idempotency-Key of its own, and is answered when its event is on the disk.',
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
