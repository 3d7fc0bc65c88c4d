import {
  cidrCheck,
  databaseUrlCheck,
  hostCheck,
  masterKeyCheck,
  originCheck,
  redisUrlCheck,
  tokenCheck,
  webAddressCheck,
} from './checks.js';
import { problemOfEventStoreUrl } from './event-store-url.js';
import { OPENID_CONNECT_VARIABLES, openIdIssues } from './openid-connect.js';
import { fileVariable, readSecretFile } from './secret-file.js';
import { choice, integer, list, optional, secret, text, type Variable } from './variables.js';

const PORT = { minimum: 0, maximum: 65_535 };
const LIMIT = { minimum: 1 };

/** Every environment variable that the program reads, in the order of the reference. */
export const VARIABLES = {
  host: text(
    'HOST',
    '127.0.0.1',
    'address or host name',
    'The address that the API and the sandbox listen on. `0.0.0.0` for all.',
    hostCheck,
  ),
  port: integer('PORT', 3000, PORT, 'The port of the API. 0 for any free one.'),
  sandboxPort: integer(
    'SANDBOX_PORT',
    3001,
    PORT,
    'The port of the sandbox, which accepts test keys only. 0 for any free one.',
  ),
  operationsPort: integer(
    'OPS_PORT',
    3002,
    PORT,
    'The port of the operations listener: health and metrics. 0 for any free one.',
  ),
  operationsToken: secret(
    'OPS_TOKEN',
    'text of 16 characters or more, without spaces',
    'The bearer token that the operations listener requires, except for health checks. With it, that listener uses ' +
      '`HOST`; without it, it requires no token and listens on the loopback address only.',
    tokenCheck,
  ),
  databaseUrl: secret(
    'DATABASE_URL',
    '`postgres://…`',
    'The PostgreSQL server to use, version 18. Without it the program runs one of its own, with the data in ' +
      '`WORKFORCE_DATA_DIR`.',
    databaseUrlCheck,
  ),
  databaseConnections: integer(
    'DATABASE_CONNECTIONS',
    16,
    { minimum: 4, maximum: 500 },
    'The maximum number of connections to PostgreSQL that requests and jobs of a process share. A process has up to ' +
      '10 further ones. PostgreSQL’s `max_connections` must exceed the sum over all processes. See ' +
      '[scale](../../how-to/scale.md).',
  ),
  eventStoreUrl: secret(
    'EVENTSTORE_URL',
    '`esdb://…`',
    'The EventStoreDB or KurrentDB for events. Without it they are stored in PostgreSQL. See [run ' +
      'EventStoreDB](../../how-to/run-eventstoredb.md).',
    problemOfEventStoreUrl,
  ),
  redisUrl: secret(
    'REDIS_URL',
    '`redis://…` or `rediss://…`',
    'The Redis for jobs. Without it jobs use PostgreSQL. Deliveries are stored in PostgreSQL in either case.',
    redisUrlCheck,
  ),
  masterKey: secret(
    'MASTER_KEY',
    'base64 of 32 bytes',
    'Wraps the key rings of the installation and, once those are rotated and resealed, the keys of people, which are ' +
      'otherwise stored in plain form in its database. The same in every process. See [rotate ' +
      'secrets](../../how-to/rotate-secrets.md).',
    masterKeyCheck,
  ),
  previousMasterKey: secret(
    'MASTER_KEY_PREVIOUS',
    'base64 of 32 bytes',
    'While `MASTER_KEY` is being replaced: the previous one, which still unwraps.',
    masterKeyCheck,
  ),
  nodeEnvironment: optional(
    'NODE_ENV',
    'text',
    'The purpose of the installation. With `production`, development settings are refused, and a new installation ' +
      'gets no demo data.',
  ),
  webhookAllowedCidrs: list(
    'WEBHOOK_ALLOWED_CIDRS',
    'address ranges such as `127.0.0.0/8,fd00::/8`',
    'For development: non-public addresses to which webhooks may be sent, also over plain `http:`. With ' +
      '`NODE_ENV=production` it is refused unless `WEBHOOK_ALLOWED_CIDRS_IN_PRODUCTION` is set.',
    cidrCheck,
  ),
  webhookAllowedCidrsInProduction: optional(
    'WEBHOOK_ALLOWED_CIDRS_IN_PRODUCTION',
    '`yes`',
    'Confirms `WEBHOOK_ALLOWED_CIDRS` with `NODE_ENV=production`.',
    (value) => (value === 'yes' ? null : 'must be yes or not be set'),
  ),
  trustedProxies: list(
    'TRUSTED_PROXIES',
    'address ranges such as `10.0.0.0/8`',
    'Proxies in front of the API or the operations listener: their `X-Forwarded-For` is the address for which wrong ' +
      'keys and wrong operator tokens are counted. They must set the header themselves. Without it all callers ' +
      'behind a proxy share the budget of wrong keys.',
    cidrCheck,
  ),
  corsOrigins: list(
    'CORS_ORIGINS',
    'origins such as `https://hr.example.com,http://localhost:5173`',
    'Origins whose pages may call the API and the sandbox from a browser (CORS). Each is written exactly as browsers ' +
      'send it: scheme, host, and a port other than the scheme’s default. `*` and `null` are refused. Without it the ' +
      'service sends no CORS header and answers no preflight. See [CORS](../cors.md).',
    originCheck,
  ),
  publicUrl: optional(
    'PUBLIC_URL',
    '`https://…`',
    'The address of the API for callers, for links in its responses and the server in the OpenAPI document: the ' +
      'part before `/api/v1`. Set it behind a proxy. Without it a link begins with `http://` and the Host header ' +
      'of the request.',
    webAddressCheck,
  ),
  sandboxPublicUrl: optional('SANDBOX_PUBLIC_URL', '`https://…`', 'The same for the sandbox.', webAddressCheck),
  ...OPENID_CONNECT_VARIABLES,
  avatarUrlTtlSeconds: integer(
    'AVATAR_URL_TTL_SECONDS',
    300,
    { minimum: 1, maximum: 86_400 },
    'How long a link to a picture is valid.',
  ),
  dataDirectory: optional(
    'WORKFORCE_DATA_DIR',
    'path',
    'The directory of the program’s own PostgreSQL. `.workforce` next to its package.json by default; not used with ' +
      '`DATABASE_URL`.',
  ),
  logLevel: choice(
    'LOG_LEVEL',
    'info',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'The minimum level of log lines.',
  ),
  requestLog: choice(
    'REQUEST_LOG',
    'on',
    ['on', 'off'],
    'Whether the API stores its requests for 7 days, for `GET /requests`: method, route, status, caller and ' +
      'duration, without content. See [access](../access.md).',
  ),
  rateLimitKey: integer('RATE_LIMIT_KEY', 600, LIMIT, 'Requests per minute of one API key.'),
  rateLimitKeyWrites: integer('RATE_LIMIT_KEY_WRITES', 120, LIMIT, 'Writing requests per minute of one API key.'),
  rateLimitOrganisation: integer(
    'RATE_LIMIT_ORGANISATION',
    3000,
    LIMIT,
    'Requests per minute of all keys of an organisation together.',
  ),
  rateLimitWebhookKey: integer('RATE_LIMIT_WEBHOOK_KEY', 30, LIMIT, 'Webhook requests per minute of one API key.'),
  rateLimitWebhookOrganisation: integer(
    'RATE_LIMIT_WEBHOOK_ORGANISATION',
    60,
    LIMIT,
    'Webhook requests per minute of all keys of an organisation together.',
  ),
  rateLimitImports: integer(
    'RATE_LIMIT_IMPORTS',
    20,
    LIMIT,
    'Imports of files per minute of all keys and users of an organisation together.',
  ),
  rateLimitPublic: integer(
    'RATE_LIMIT_PUBLIC',
    6_000,
    LIMIT,
    'Requests per minute without a key, from one network address: the OpenAPI document, the documentation, the files ' +
      'of the console, calendars, sign-in. Each API process counts for itself.',
  ),
  rateLimitFailedAuth: integer(
    'RATE_LIMIT_FAILED_AUTH',
    30,
    LIMIT,
    'Requests per minute with a missing or wrong key, from one network address. Each operations listener allows an ' +
      'address as many wrong operator tokens per minute.',
  ),
  tracesEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '`https://…`',
    'The OpenTelemetry collector for traces, by OTLP over HTTP as JSON, to `/v1/traces` below it. Without it tracing ' +
      'is off.',
    webAddressCheck,
  ),
  tracesHeaders: secret(
    'OTEL_EXPORTER_OTLP_HEADERS',
    '`name=value` pairs, separated by commas',
    'Headers that the collector requires, such as a key. Values may be percent-encoded.',
    (value) =>
      value.split(',').every((pair) => /^ *[\w-]+ *=/.test(pair) && isPercentEncoded(pair))
        ? null
        : 'must hold pairs of a name and a value, such as api-key=…, separated by commas',
  ),
  tracesServiceName: text('OTEL_SERVICE_NAME', 'workforce', 'text', 'The name of this process in traces.', () => null),
  tracesSampler: choice(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    'Which traces are recorded. With `parentbased_…` a caller who sends `traceparent` decides for their own.',
  ),
  tracesSamplerArgument: optional(
    'OTEL_TRACES_SAMPLER_ARG',
    'number from 0 to 1',
    'The share of traces that `traceidratio` records; 1 by default.',
    (value) => (/^(0|1|0?\.\d+|1\.0+|0\.0*)$/.test(value) ? null : 'must be a number from 0 to 1'),
  ),
  drainSeconds: integer(
    'DRAIN_SECONDS',
    0,
    { minimum: 0, maximum: 600 },
    'How long an API that was asked to stop continues to serve, but reports that it is not ready and closes ' +
      'connections after their next response, so that a proxy selects other processes. Behind a proxy, set it to ' +
      'longer than the proxy takes to notice. `SHUTDOWN_SECONDS` begin after it.',
  ),
  shutdownSeconds: integer(
    'SHUTDOWN_SECONDS',
    10,
    { minimum: 1, maximum: 600 },
    'How long a stop may take: requests in progress are completed first. PostgreSQL gets at most 8 further seconds.',
  ),
} as const satisfies Record<string, Variable<unknown>>;

/** The settings of a process, checked. */
export type Configuration = {
  readonly [Name in keyof typeof VARIABLES]: (typeof VARIABLES)[Name]['unset'];
};

/** The environment has errors; the message has one sentence for each. */
export class ConfigurationError extends Error {
  constructor(readonly issues: readonly string[]) {
    super(issues.join('\n'));
    this.name = 'ConfigurationError';
  }
}

/** Where a setting comes from. */
export type SettingSource =
  { readonly kind: 'default' | 'environment' } | { readonly kind: 'file'; readonly path: string };

/** A variable with its value in this process. */
export interface Setting {
  readonly variable: Variable<unknown>;
  /** The given text; null if there is none. It may be secret. */
  readonly text: string | null;
  readonly source: SettingSource;
  /** The value of the program: the default where the text is missing or not valid. */
  readonly value: unknown;
  /** The error of this variable, as a sentence that does not repeat a secret; null without one. */
  readonly issue: string | null;
}

/** Reads every variable, in the order of the reference. Never throws: each setting has its own error. */
export function readSettings(environment: NodeJS.ProcessEnv): readonly Setting[] {
  return Object.values(VARIABLES).map((variable) => settingOf(variable, environment));
}

/**
 * Reads the settings; an empty variable counts as unset. Secrets come from files that `…_FILE` names. Throws
 * {@link ConfigurationError} with all errors at once; its sentences never repeat a secret.
 */
export function readConfiguration(environment: NodeJS.ProcessEnv): Configuration {
  const settings = readSettings(environment);
  const issues = [
    ...settings.flatMap(({ issue }) => (issue === null ? [] : [issue])),
    ...issuesBetween(settings, environment),
  ];
  if (issues.length > 0) throw new ConfigurationError(issues);
  return configurationOf(settings);
}

/** The sentences about settings that contradict each other. */
export function issuesBetween(settings: readonly Setting[], environment: NodeJS.ProcessEnv): readonly string[] {
  const configuration = configurationOf(settings);
  return [
    ...samePorts(configuration),
    ...cidrsInProduction(configuration),
    ...masterKeys(configuration, environment),
    ...openIdIssues(configuration),
  ];
}

function configurationOf(settings: readonly Setting[]): Configuration {
  const keys = Object.keys(VARIABLES);
  // The entries are those of VARIABLES, each with a value of its own variable's type.
  return Object.fromEntries(settings.map(({ value }, index) => [keys[index]!, value])) as Configuration;
}

function settingOf(variable: Variable<unknown>, environment: NodeJS.ProcessEnv): Setting {
  const unset = { variable, text: null, source: { kind: 'default' }, value: variable.unset, issue: null } as const;
  const { name } = variable;
  const given = environment[name]?.trim() ?? '';
  const path = variable.isSecret ? (environment[fileVariable(name)]?.trim() ?? '') : '';
  if (given !== '' && path !== '')
    return { ...unset, issue: `${name} and ${fileVariable(name)} are both set: unset one of them.` };
  if (path !== '') {
    const source = { kind: 'file', path } as const;
    const read = readSecretFile(path);
    if ('issue' in read)
      return { ...unset, source, issue: `${fileVariable(name)} names ${path}, which ${read.issue}.` };
    return parsed({ ...unset, source }, read.text, `${name}, read from ${path},`);
  }
  return parsed({ ...unset, source: { kind: 'environment' } }, given, name);
}

/** `subject` begins the sentence about an invalid text. */
function parsed(setting: Setting, text: string, subject: string): Setting {
  if (text === '') return { ...setting, source: { kind: 'default' } };
  const result = setting.variable.parse(text);
  return 'value' in result
    ? { ...setting, text, value: result.value }
    : { ...setting, text, issue: `${subject} ${result.issue}.` };
}

function samePorts(configuration: Configuration): readonly string[] {
  const ports = (['port', 'sandboxPort', 'operationsPort'] as const).filter((name) => configuration[name] !== 0);
  const repeated = ports.filter((name) =>
    ports.some((other) => other !== name && configuration[other] === configuration[name]),
  );
  if (repeated.length === 0) return [];
  return [`${repeated.map((name) => VARIABLES[name].name).join(' and ')} must be different ports.`];
}

/** With development settings in production, callers could reach into the operator's network. */
function cidrsInProduction(configuration: Configuration): readonly string[] {
  if (configuration.nodeEnvironment !== 'production' || configuration.webhookAllowedCidrs.length === 0) return [];
  if (configuration.webhookAllowedCidrsInProduction === 'yes') return [];
  return [
    'WEBHOOK_ALLOWED_CIDRS is refused with NODE_ENV=production unless WEBHOOK_ALLOWED_CIDRS_IN_PRODUCTION is yes.',
  ];
}

function isPercentEncoded(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

/** A previous key is only valid with the key that replaces it. */
function masterKeys(
  { masterKey, previousMasterKey }: Configuration,
  environment: NodeJS.ProcessEnv,
): readonly string[] {
  if (previousMasterKey === null) return [];
  if (masterKey !== null)
    return masterKey === previousMasterKey ? ['MASTER_KEY_PREVIOUS must differ from MASTER_KEY.'] : [];
  const isWrong = [environment['MASTER_KEY'], environment[fileVariable('MASTER_KEY')]].some(
    (value) => (value?.trim() ?? '') !== '',
  );
  return isWrong ? [] : ['MASTER_KEY_PREVIOUS is set without MASTER_KEY: set that to the key which replaces it.'];
}
