import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import { messageOf } from '#database/error-code.js';
import { describeReceiverDelay, describeSendingDelay, measureLateness } from '#webhooks/deliver/lateness.js';
import { ok, warning, type Finding } from './check.js';

const MAX_WAIT_MILLISECONDS = 3_000;

/**
 * Warns of private ranges that webhooks may reach: they are meant for development.
 */
export function checkAllowedCidrs({
  webhookAllowedCidrs,
}: Pick<Configuration, 'webhookAllowedCidrs'>): readonly Finding[] {
  if (webhookAllowedCidrs.length === 0) return [];
  const ranges = webhookAllowedCidrs.join(', ');
  const message = `Webhooks may be sent to ${ranges}, which need not be public, and over plain http there.`;
  return [warning('webhook addresses', message, 'Unset WEBHOOK_ALLOWED_CIDRS unless this is for development.')];
}

/**
 * Whether deliveries are late, and the cause. Only lateness that this installation causes is a warning.
 */
export async function checkDeliveries(pool: Pool): Promise<readonly Finding[]> {
  const lateness = await measureLateness(pool);
  const ours = describeSendingDelay(lateness);
  const theirs = describeReceiverDelay(lateness);
  return [
    ours === null
      ? ok('webhook sending', 'Workers attempt webhook deliveries when they are due.')
      : warning('webhook sending', ours.message, ours.advice),
    theirs === null
      ? ok('webhook receivers', 'No webhook endpoint is behind because of its receiver.')
      : ok('webhook receivers', `${theirs.message} ${theirs.advice}`),
  ];
}

/**
 * The Redis of `REDIS_URL`: whether it answers, and whether its settings keep the data of jobs. Empty if
 * `REDIS_URL` is not set.
 */
export async function checkRedis({ redisUrl }: Pick<Configuration, 'redisUrl'>): Promise<readonly Finding[]> {
  if (redisUrl === null) return [];
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: MAX_WAIT_MILLISECONDS,
    commandTimeout: MAX_WAIT_MILLISECONDS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  // The rejection of a command only reports a closed connection; the reason arrives here.
  redis.on('error', (error: Error) => (reason ??= error));
  try {
    await redis.connect();
    const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'of an unknown version';
    return [ok('Redis', `Redis ${version} answers.`), ...(await checkSettings(redis))];
  } catch (error) {
    const advice = 'Start it, or correct or unset REDIS_URL; until then webhooks are up to a minute late.';
    return [warning('Redis', `Redis does not answer: ${messageOf(reason ?? error)}.`, advice)];
  } finally {
    redis.disconnect();
  }
}

async function checkSettings(redis: Redis): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const policy = await settingOf(redis, 'maxmemory-policy');
  if (policy !== null && policy !== 'noeviction') {
    const message = `Redis drops keys when its memory is full (maxmemory-policy ${policy}).`;
    findings.push(warning('Redis', message, 'Set maxmemory-policy to noeviction.'));
  }
  if ((await settingOf(redis, 'appendonly')) === 'no') {
    const advice = 'Set appendonly to yes; until then webhooks are up to a minute late after a restart.';
    findings.push(warning('Redis', 'Redis loses its queues when it is restarted.', advice));
  }
  return findings;
}

/** Null if the server refuses the command: hosted servers often disable `CONFIG`. */
async function settingOf(redis: Redis, name: string): Promise<string | null> {
  try {
    const [, value] = (await redis.config('GET', name)) as readonly string[];
    return value ?? null;
  } catch (error) {
    if (error instanceof Error && /^(ERR unknown command|NOPERM)/.test(error.message)) return null;
    throw error;
  }
}
