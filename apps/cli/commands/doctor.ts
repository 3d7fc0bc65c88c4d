import { type Configuration, ConfigurationError, readConfiguration } from '#configuration/configuration.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { createPool } from '#database/pool.js';
import { dataDirectoryPath, hasDatabase } from '#embedded-postgres/data-directory.js';
import { UsageError } from '../command-error.js';
import { ownCommand } from '../command.js';
import { openDatabase } from '../database.js';
import type { Outcome } from '../declaration.js';
import { failed, type Finding } from '../doctor/check.js';
import { checkDatabase } from '../doctor/database-checks.js';
import * as machine from '../doctor/machine-checks.js';
import { checkProductionDatabase, checkProductionSettings } from '../doctor/production-checks.js';
import * as webhooks from '../doctor/webhook-checks.js';
import { explainError } from '../explain-error.js';
import { flag, text } from '../options.js';

/** The settings of the additional checks of a production installation. */
interface Production {
  /** The folder of its backups; undefined if it is not given. */
  readonly backups: string | undefined;
}

/**
 * `workforce doctor`: checks the set-up and recommends fixes; exit code 1 if a check failed.
 */
export const commands = {
  doctor: ownCommand({
    options: {
      production: flag('also check what a production installation needs'),
      backups: text('<folder>', 'with --production: the folder whose newest file must be younger than 26 hours'),
    },
    run: async ({ production, backups }) => {
      if (backups !== undefined && !production) throw new UsageError('--backups needs --production.');
      return outcomeOf(await examine(production ? { backups } : null), production);
    },
  }),
};

async function examine(production: Production | null): Promise<readonly Finding[]> {
  const node = machine.checkNode(process.versions.node);
  let configuration: Configuration;
  try {
    configuration = readConfiguration(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [
      node,
      ...error.issues.map((issue) => failed('configuration', issue, 'See docs/reference/generated/configuration.md.')),
    ];
  }
  const directory = configuration.databaseUrl === null ? await machine.checkDataDirectory(configuration) : [];
  const usable = directory.every(({ status }) => status !== 'failed');
  return [
    node,
    ...machine.checkRateLimits(configuration),
    ...(production === null ? machine.checkProduction(configuration) : await checkProductionSettings(configuration)),
    ...webhooks.checkAllowedCidrs(configuration),
    ...(await machine.checkPorts(configuration)),
    ...directory,
    ...(usable ? await examineDatabase(configuration, production) : []),
    ...(await webhooks.checkRedis(configuration)),
  ];
}

async function examineDatabase(
  configuration: Configuration,
  production: Production | null,
): Promise<readonly Finding[]> {
  // Before the first start there is no database, and the checks must not create it.
  if (configuration.databaseUrl === null && !(await hasDatabase(dataDirectoryPath(configuration.dataDirectory))))
    return [];
  try {
    const report = (message: string): boolean => process.stderr.write(`${message}\n`);
    const database = await openDatabase(configuration, { use: 'shared', kind: 'command', makes: true, report });
    const pool = createPool(database.url, {
      applicationName: 'workforce doctor',
      maximum: 2,
      statementTimeout: 5_000,
      sessionSettings: { lock_timeout: '2000' },
    });
    try {
      const findings = await checkDatabase(pool, configuration, MIGRATIONS);
      const isMigrated = findings.some(({ name, status }) => name === 'schema' && status === 'ok');
      if (production === null || !isMigrated) return findings;
      return [...findings, ...(await checkProductionDatabase(pool, production.backups))];
    } finally {
      await pool.end();
      await database.close();
    }
  } catch (error) {
    return [failed('database', explainError(error))];
  }
}

function outcomeOf(findings: readonly Finding[], production: boolean): Outcome {
  const healthy = findings.every(({ status }) => status !== 'failed');
  const subject = production ? 'the installation from production' : 'the program from running';
  const lines = findings.map(
    ({ status, message, advice }) => `${status.padEnd(8)} ${message}${advice === null ? '' : ` ${advice}`}`,
  );
  return {
    json: {
      ok: healthy,
      checks: findings.map(({ name, status, message, advice }) => ({ name, status, message, advice })),
    },
    text: [
      ...lines,
      '',
      healthy ? `Nothing keeps ${subject}.` : `Something keeps ${subject}; see "failed" above.`,
    ].join('\n'),
    exitCode: healthy ? 0 : 1,
  };
}
