import { choice, integer, optional, text, type Variable } from './variables.js';

const PORT = { minimum: 0, maximum: 65_535 };
const LIMIT = { minimum: 1 };

/** Every environment variable that the program reads, in the order of the reference. */
export const VARIABLES = {
  host: text('HOST', '127.0.0.1', 'The address that the API and the sandbox listen on. `0.0.0.0` for all.'),
  port: integer('PORT', 3000, PORT, 'The port of the API. 0 for any free one.'),
  sandboxPort: integer('SANDBOX_PORT', 3001, PORT, 'The port of the sandbox, which takes test keys only. 0 for any free one.'),
  operationsPort: integer(
    'OPS_PORT',
    3002,
    PORT,
    'The port of the operations listener: health and metrics. 0 for any free one.',
  ),
  operationsToken: optional(
    'OPS_TOKEN',
    'text of 16 characters or more',
    'The bearer token that the operations listener asks for, health checks aside. Where it is set, that listener uses `HOST`; without it, it asks for nothing and listens on the loopback address only.',
    (value) => (value.length < 16 ? 'must have 16 characters or more' : null),
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    '`postgres://…`',
    'The PostgreSQL server to use, version 18. Without it the program runs one of its own, with the data in `WORKFORCE_DATA_DIR`.',
    schemeCheck('postgres:', 'postgresql:'),
  ),
  eventStoreUrl: optional(
    'EVENTSTORE_URL',
    '`esdb://…`',
    'The EventStoreDB or KurrentDB to keep events in. Without it they are kept in PostgreSQL.',
    schemeCheck('esdb:', 'esdb+discover:'),
  ),
  dataDirectory: optional(
    'WORKFORCE_DATA_DIR',
    'path',
    'The directory of the program’s own PostgreSQL. `.workforce` beside its package.json where it is not set; not used with `DATABASE_URL`.',
  ),
  logLevel: choice(
    'LOG_LEVEL',
    'info',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'The least serious lines that are logged.',
  ),
  rateLimitKey: integer('RATE_LIMIT_KEY', 600, LIMIT, 'Requests a minute of one API key.'),
  rateLimitKeyWrites: integer('RATE_LIMIT_KEY_WRITES', 120, LIMIT, 'Writing requests a minute of one API key.'),
  rateLimitOrganisation: integer('RATE_LIMIT_ORGANISATION', 3000, LIMIT, 'Requests a minute of all keys of an organisation together.'),
  rateLimitWebhookKey: integer('RATE_LIMIT_WEBHOOK_KEY', 30, LIMIT, 'Webhook requests a minute of one API key.'),
  rateLimitWebhookOrganisation: integer(
    'RATE_LIMIT_WEBHOOK_ORGANISATION',
    60,
    LIMIT,
    'Webhook requests a minute of all keys of an organisation together.',
  ),
  rateLimitFailedAuth: integer(
    'RATE_LIMIT_FAILED_AUTH',
    30,
    LIMIT,
    'Requests a minute with a missing or wrong key, from one network address.',
  ),
  shutdownSeconds: integer(
    'SHUTDOWN_SECONDS',
    10,
    { minimum: 1, maximum: 600 },
    'How long a stop may take: requests under way are finished first. PostgreSQL is given 8 seconds of its own at most.',
  ),
} as const satisfies Record<string, Variable<unknown>>;

/** The settings of a process, checked. */
export type Configuration = {
  readonly [Name in keyof typeof VARIABLES]: (typeof VARIABLES)[Name]['unset'];
};

/** The environment has mistakes; the message has one sentence for each. */
export class ConfigurationError extends Error {
  constructor(readonly issues: readonly string[]) {
    super(issues.join('\n'));
    this.name = 'ConfigurationError';
  }
}

/** Reads the settings; an empty variable is one that is not set. Throws {@link ConfigurationError} with all mistakes at once. */
export function readConfiguration(environment: NodeJS.ProcessEnv): Configuration {
  const issues: string[] = [];
  const settings = Object.entries(VARIABLES).map(([name, variable]) => {
    const value = environment[variable.name]?.trim() ?? '';
    if (value === '') return [name, variable.unset] as const;
    const parsed = variable.parse(value);
    if ('value' in parsed) return [name, parsed.value] as const;
    issues.push(`${variable.name} ${parsed.issue}.`);
    return [name, variable.unset] as const;
  });
  // The entries are those of VARIABLES, each with a value of its own variable's type.
  const configuration = Object.fromEntries(settings) as Configuration;
  issues.push(...samePorts(configuration));
  if (issues.length > 0) throw new ConfigurationError(issues);
  return configuration;
}

function samePorts(configuration: Configuration): readonly string[] {
  const ports = (['port', 'sandboxPort', 'operationsPort'] as const).filter((name) => configuration[name] !== 0);
  const twice = ports.filter((name) => ports.some((other) => other !== name && configuration[other] === configuration[name]));
  if (twice.length === 0) return [];
  return [`${twice.map((name) => VARIABLES[name].name).join(' and ')} must be different ports.`];
}

function schemeCheck(...schemes: readonly string[]): (value: string) => string | null {
  return (value) => {
    const scheme = URL.canParse(value) ? new URL(value).protocol : /^[a-z+]+:(?=\/\/.)/.exec(value)?.[0];
    return scheme !== undefined && schemes.includes(scheme) ? null : `must be a URL that starts with ${schemes[0]}//`;
  };
}
