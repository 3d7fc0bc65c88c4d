import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';

/** Where lines of a process go: JSON, one object a line, on the standard error output. */
export type Logger = FastifyBaseLogger;

/** Names under which secrets and personal data could reach a line; their values are cut out wherever a caller logs them. */
const SECRET = ['authorization', 'api_key', 'apiKey', 'secret', 'password', 'token', 'cookie', 'body', 'payload', 'databaseUrl'];

/** A logger of the given level. Standard output stays free for what a command answers. */
export function createLogger(level: string): Logger {
  const paths = SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const settings = {
    level,
    redact: { paths, censor: '[redacted]' },
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(settings, pino.destination({ fd: process.stderr.fd, sync: true }));
}
