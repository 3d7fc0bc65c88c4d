import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';
import { errorForLog } from './error-for-log.js';

/** The destination of log lines: JSON, one object per line, on the standard error output. */
export type Logger = FastifyBaseLogger;

/**
 * Names under which secrets and personal data could reach a log line; their values are redacted wherever a
 * caller logs them.
 */
const SECRET = [
  'authorization',
  'api_key',
  'apiKey',
  'secret',
  'password',
  'token',
  'cookie',
  'body',
  'payload',
  'databaseUrl',
  'redisUrl',
  'eventStoreUrl',
  'operationsToken',
  'masterKey',
  'previousMasterKey',
];

/**
 * A logger of the given level. Lines go to standard error, because standard output belongs to the results of
 * commands.
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination({ fd: process.stderr.fd, sync: true }),
): Logger {
  const paths = SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const settings = {
    level,
    redact: { paths, censor: '[redacted]' },
    serializers: { err: (error: unknown) => errorForLog(error) },
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(settings, destination);
}
