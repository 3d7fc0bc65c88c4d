import { CommanderError } from 'commander';
import { createTestDatabase, type TestDatabase } from './postgres.js';
import { runWorkforce } from './processes.js';
import { InProcessProgram } from './session/in-process-program.js';

type Ran = ReturnType<typeof runWorkforce>;

/** The `workforce` program over a test's database, which may be created later. */
export interface Program {
  /** Runs a command to its end, whatever its result. */
  readonly workforce: (...parameters: readonly string[]) => Ran;
  /** Returns the output of a command with `--json`; it must succeed and write no error. */
  readonly json: <T = Record<string, unknown>>(...parameters: readonly string[]) => Promise<T>;
}

/**
 * See {@link Program}. Commands run in this process, one at a time, which takes a tenth of the time. A
 * command line that the parser refuses ends its process, so it runs as the built program.
 */
export function programOver(database: () => TestDatabase, settings: Readonly<Record<string, string>> = {}): Program {
  let last: Promise<unknown> = Promise.resolve();
  const workforce = (...parameters: readonly string[]): Ran => {
    const ran = last.then(() => run(database().url, settings, parameters));
    last = ran.catch(() => undefined);
    return ran;
  };
  const json = async <T>(...parameters: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await workforce(...parameters, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  };
  return { workforce, json };
}

/** Splits a command line whose parameters have no spaces. */
export function words(line: string): readonly string[] {
  return line.split(' ');
}

/** The program over a database of the test file, with one organisation. */
export interface ProgramOfAcme extends Program {
  readonly database: () => TestDatabase;
  readonly organisationId: () => string;
}

/** The options that select the organisation of {@link programOfAcme}. */
export const OF_ACME: readonly string[] = ['--organisation', 'acme'];

/**
 * Creates the database and the organisation before the tests of the file, and drops the database after them.
 * Call it before other hooks.
 */
export function programOfAcme(): ProgramOfAcme {
  let database: TestDatabase;
  let organisationId: string;
  const program = programOver(() => database);
  beforeAll(async () => {
    database = await createTestDatabase();
    const profile = words('--name Acme --subdomain acme --country GB --plan standard --time-zone UTC');
    organisationId = (await program.json<{ id: string }>('organisations', 'create', ...profile)).id;
  });
  afterAll(() => database.drop());
  return { ...program, database: () => database, organisationId: () => organisationId };
}

async function run(
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
  parameters: readonly string[],
): Ran {
  const program = new InProcessProgram(databaseUrl, settings);
  try {
    const { exitCode: code, stdout, stderr } = await program.call(parameters);
    return { code, stdout, stderr };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return await runWorkforce(parameters, { DATABASE_URL: databaseUrl, ...settings });
  } finally {
    program.stop();
  }
}
