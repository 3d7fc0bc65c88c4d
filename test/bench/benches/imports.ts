import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openFixture } from '../fixture.js';
import { count, type Line } from '../report/table.js';
import { type ProcessorTime, processorTimeOf, usedBetween } from '../measure/processor-time.js';
import { PROGRAM, shippedEnvironment } from '../sides/product.js';
import type { Setting } from './setting.js';

/** Rows a second. */
const GOAL = 4_000;
const LARGEST_OUTPUT = 64 * 1_024 * 1_024;
const HEADER =
  'work_email,staff_id,first_name,last_name,start_date,job_title,department,manager,work_place,work_type,contracted_weekly_minutes,full_time_weekly_minutes';
const DEPARTMENTS = ['Engineering', 'Product', 'Design', 'Customer Success', 'Finance', 'People'];

interface Report {
  readonly rows: number;
  readonly created: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly rows_per_second: number;
}

/** A run of the command, and what it cost. */
interface Imported {
  readonly report: Report;
  readonly used: ProcessorTime;
}

/** Nothing else uses this PostgreSQL, and it does next to nothing at rest. */
const AT_REST: ProcessorTime = { program: 0, postgres: 0 };

function lineOfFile(index: number): string {
  const staffId = (number: number): string => `I-${100_000 + number}`;
  const month = String((index % 12) + 1).padStart(2, '0');
  const manager = index === 0 ? '' : staffId(index >> 3);
  const workPlace = index % 2 === 0 ? 'London office' : 'Leeds office';
  const department = DEPARTMENTS[index % DEPARTMENTS.length];
  return `import.${index}@bench.example,${staffId(index)},Ada,Number ${index},20${15 + (index % 10)}-${month}-01,Engineer,${department},${manager},${workPlace},Full-time,2250,2250`;
}

/** A file of people, for the command that imports them: managers come before those whom they manage. */
export function fileOfPeople(rows: number): string {
  return [HEADER, ...Array.from({ length: rows }, (_, index) => lineOfFile(index)), ''].join('\n');
}

/** Imports a file of people, as a user would, and imports it again. */
export async function measureImport(setting: Setting): Promise<readonly Line[]> {
  setting.say('Measuring import …');
  const fixture = await openFixture(await setting.database('imports'));
  await fixture.close();
  const directory = await mkdtemp(join(tmpdir(), 'workforce-bench-'));
  try {
    const file = join(directory, 'people.csv');
    await writeFile(file, fileOfPeople(setting.options.importRows));
    // The command is a child of this process, which therefore has its time when it has ended.
    const roots = [process.pid, setting.postgresPid];
    const run = async (): Promise<Imported> => {
      const [before, startedAt] = [processorTimeOf(roots), performance.now()];
      const report = await importPeople(file, fixture.url, fixture.subdomain);
      return { report, used: usedBetween(before, processorTimeOf(roots), AT_REST, (performance.now() - startedAt) / 1_000) };
    };
    const [first, again] = [await run(), await run()];
    return [
      lineOf('', first, `${count(first.report.created)} created, with employment, new departments and managers`),
      lineOf(', again', again, `${count(again.report.unchanged)} unchanged`),
    ];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function importPeople(file: string, databaseUrl: string, organisation: string): Promise<Report> {
  const words = [PROGRAM, 'import', 'people', file, '--organisation', organisation, '--create-missing', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    env: { ...shippedEnvironment(), DATABASE_URL: databaseUrl },
    maxBuffer: LARGEST_OUTPUT,
  });
  const report = JSON.parse(stdout) as Report;
  if (report.failed > 0) throw new Error(`${report.failed} lines of the generated file were refused`);
  return report;
}

function lineOf(which: string, { report, used }: Imported, remarks: string): Line {
  const isFirst = which === '';
  const perRow = (seconds: number): string => count((seconds * 1_000_000) / report.rows);
  return {
    what: `Import of people, ${count(report.rows)} rows${which}`,
    figures: [report.rows_per_second],
    ratio: '',
    goal: isFirst ? `≥ ${count(GOAL)}/s` : '',
    isMet: isFirst ? report.rows_per_second >= GOAL : null,
    product: `${count(report.rows_per_second)} rows/s`,
    bare: '',
    throughputRatio: '',
    remarks: `one run, without a warm-up; ${remarks}; Node.js + PostgreSQL ${perRow(used.program)} + ${perRow(used.postgres)} µs a row; the rate leaves out the start of the command, the processor time does not`,
  };
}
