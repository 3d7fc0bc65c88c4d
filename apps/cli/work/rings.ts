import type { Pool, PoolClient } from 'pg';
import { listVersions } from '#database/key-rings/administration.js';
import { countPersonKeys, resealPersonKeys } from '#database/key-rings/person-key-reseal.js';
import { currentOf, KeyRing, type RingName } from '#database/key-rings/key-ring.js';
import {
  countRecordedWebhookSecrets,
  countWebhookSecrets,
  findEndpointsToReseal,
} from '#webhooks/endpoint/webhook-reseal.js';
import { ResealWebhookSecrets } from '#webhooks/endpoint/webhook-handlers.js';
import { commandServices, NO_ORGANISATION, operatorContext } from '../command-context.js';
import { CommandError } from '../command-error.js';
import type { Installation } from '../installation.js';
import { requireKnown } from '../closest-match.js';
import { withCommandBus } from '../send-as-operator.js';

/** The name of a ring for operators, and its purpose. */
export interface RingTitle {
  readonly name: RingName;
  readonly title: string;
  /** The purpose of its newest version after a rotation. */
  readonly does: string;
}

/** The rings, in the order in which they are shown. */
export const RINGS: readonly RingTitle[] = [
  { name: 'cursors', title: 'cursors', does: 'authenticates list cursors' },
  { name: 'avatar_links', title: 'picture-links', does: 'authenticates links to pictures' },
  { name: 'webhook_secrets', title: 'webhook-secrets', does: 'encrypts the signing secrets of webhooks' },
  { name: 'personal_data', title: 'personal-data', does: 'wraps the keys of people' },
  { name: 'ids', title: 'ids', does: 'authenticates ids, which never change' },
];

/** Whether the versions of a ring encrypt stored values. The others authenticate values that callers hold. */
export function isAtRest(ring: RingName): boolean {
  return ring === 'webhook_secrets' || ring === 'personal_data';
}

/** The ring that an operator named. Throws {@link CommandError}. */
export function ringOf(named: string): RingTitle {
  const titles = RINGS.map((ring) => ring.title);
  const title = requireKnown('ring', named, titles);
  return RINGS.find((ring) => ring.title === title)!;
}

/**
 * The number of stored values that each version of a ring encrypts; null if the ring encrypts none. Keys
 * of people without wrapping are under null.
 */
export async function sealedBy(pool: Pool, ring: RingName): Promise<ReadonlyMap<number | null, number> | null> {
  if (ring === 'webhook_secrets') return countWebhookSecrets(pool);
  return ring === 'personal_data' ? countPersonKeys(pool) : null;
}

/** The number of stored values that another version than this one encrypts; without it, the current one. */
export async function countToReseal(pool: Pool, ring: RingName, version?: number): Promise<number> {
  const current = version ?? (await listVersions(pool)).find((one) => one.ring === ring && one.isCurrent)?.version;
  let left = 0;
  for (const [by, count] of (await sealedBy(pool, ring)) ?? []) if (by !== current) left += count;
  return left;
}

/**
 * The number of values that a version still encrypts, counted from the events before it is retired, because
 * the tables may lag behind.
 */
export async function countBeforeRetirement(
  installation: Installation,
  ring: RingName,
  version: number,
  connection: PoolClient,
): Promise<number> {
  if (!isAtRest(ring)) return 0;
  const counts =
    ring === 'personal_data'
      ? await countPersonKeys(connection)
      : await countRecordedWebhookSecrets({ ...installation, projector: commandServices(installation).projector });
  return counts.get(version) ?? 0;
}

/**
 * Encrypts stored values with the newest version, one after the other; safe to run again after an
 * interruption. Returns the number of values that it encrypted again. Throws {@link CommandError} if the ring
 * encrypts no stored values.
 */
export async function resealRing(
  installation: Installation,
  { name, title }: RingTitle,
  onProgress: (done: number) => void,
): Promise<number> {
  const { pool, keys } = installation;
  if (!isAtRest(name))
    throw new CommandError(
      `The ring ${title} encrypts no stored values: values that callers have stay valid until their version is retired.`,
    );
  if ((await new KeyRing(pool, name).current()) === null)
    throw new CommandError(`The ring ${title} has no version yet: workforce secrets rotate ${title} makes the first.`);
  if (name === 'personal_data') return resealPersonKeys(pool, onProgress);
  const { version } = await currentOf(keys.webhookSecrets, 'fresh');
  const endpoints = await findEndpointsToReseal(pool, version);
  return withCommandBus(installation, async (commands) => {
    let resealed = 0;
    for (const [index, { organisationId, webhookId }] of endpoints.entries()) {
      const context = operatorContext({ ...NO_ORGANISATION, id: organisationId });
      if (await commands.execute(new ResealWebhookSecrets(context, webhookId))) resealed += 1;
      onProgress(index + 1);
    }
    return resealed;
  });
}
