import type { Pool } from 'pg';
import {
  KeyRingError,
  listVersions,
  retireVersion,
  rotateRing,
  wrapSecrets,
} from '#database/key-rings/administration.js';
import { masterKeys } from '#database/key-rings/master-keys.js';
import { command } from '../command.js';
import { CommandError, UsageError } from '../command-error.js';
import type { Outcome } from '../declaration.js';
import type { Installation } from '../installation.js';
import { parseInteger, required, text } from '../options.js';
import { showProgress } from '../progress.js';
import { tableOf } from '../text-table.js';
import {
  countBeforeRetirement,
  countToReseal,
  isAtRest,
  resealRing,
  ringOf,
  RINGS,
  type RingTitle,
  sealedBy,
} from '../work/rings.js';

const RING = required(text('', 'cursors, picture-links, webhook-secrets or personal-data', ringOf));
const VERSION = required(text('', 'version to retire, from secrets list', versionOf));

/** `workforce secrets …`: the keys of the installation, and their versions. */
export const commands = {
  list: command({
    description: 'list the key rings, their versions, and how many values each version encrypts',
    run: (_, { pool }) => listSecrets(pool),
  }),
  rotate: command({
    description: 'make a new version, which is used from now on; older versions stay valid until they are retired',
    arguments: { ring: RING },
    run: async ({ ring }, { pool }) => {
      const version = await explained(ring, () => rotateRing(pool, ring.name, masterKeys()));
      const older = await countToReseal(pool, ring.name, version);
      return {
        json: { ring: ring.title, version, to_reseal: older },
        text: `Version ${version} of ${ring.title} ${ring.does} from now on.${nextStep(ring, version, older)}`,
      };
    },
  }),
  reseal: command({
    description:
      'encrypt stored values with the newest version while reads and writes continue; an interrupted run is resumed',
    arguments: { ring: RING },
    run: ({ ring }, { installation, json }) => resealSecrets(installation, ring, json),
  }),
  retire: command({
    description: 'delete an older version permanently; refused while values are encrypted with it',
    arguments: { ring: RING, version: VERSION },
    run: async ({ ring, version }, { installation, pool }) => {
      const { name, title } = ring;
      await explained(ring, () =>
        retireVersion(pool, name, version, (connection) =>
          countBeforeRetirement(installation, name, version, connection),
        ),
      );
      return {
        json: { ring: title, version, state: 'retired' },
        text: `Version ${version} of ${title} is retired: nothing can be opened with it.`,
      };
    },
  }),
  wrap: command({
    description: 'wrap the keys of the installation with MASTER_KEY; run it again when MASTER_KEY is replaced',
    run: async (_, { pool }) => {
      const { fingerprint } = masterKeys();
      const wrapped = await wrapSecrets(pool, masterKeys());
      const text =
        wrapped === 0
          ? 'All keys of the installation are wrapped with this master key.'
          : `${wrapped} keys of the installation are wrapped with the master key ${fingerprint} from now on.`;
      return { json: { wrapped, master_key: fingerprint }, text };
    },
  }),
};

function versionOf(given: string): number {
  const version = parseInteger(given);
  if (version >= 1 && version <= 9_999) return version;
  throw new UsageError('The version must be a whole number, as "workforce secrets list" shows it.');
}

async function listSecrets(pool: Pool): Promise<Outcome> {
  const versions = await listVersions(pool);
  const rings = [];
  for (const { name, title } of RINGS) {
    const sealed = await sealedBy(pool, name);
    const own = versions
      .filter(({ ring }) => ring === name)
      .map(({ version, isCurrent, retiredAt, createdAt, ageDays, wrappedBy }) => ({
        version,
        state: retiredAt !== null ? 'retired' : isCurrent ? 'current' : 'opens',
        created_at: createdAt.toISOString(),
        age_days: Math.floor(ageDays),
        retired_at: retiredAt?.toISOString() ?? null,
        seals: sealed === null || retiredAt !== null ? null : (sealed.get(version) ?? 0),
        wrapped_with: wrappedBy,
      }));
    const not_wrapped = name === 'personal_data' ? (sealed?.get(null) ?? 0) : null;
    rings.push({ ring: title, rotatable: name !== 'ids', versions: own, not_wrapped });
  }
  const rows = rings.flatMap(({ ring, versions: own, not_wrapped: seals }) => [
    ...own.map((one) => ({ ...one, ring })),
    ...(seals === null || seals === 0 ? [] : [{ ring, state: 'not wrapped', seals, wrapped_with: '' }]),
  ]);
  const text = tableOf<Partial<(typeof rings)[number]['versions'][number]> & { readonly ring: string }>(
    {
      RING: 'ring',
      VERSION: 'version',
      STATE: 'state',
      MADE: ({ created_at: at }) => at?.slice(0, 10),
      AGE: ({ age_days: days }) => (days === undefined ? '' : `${days} d`),
      SEALS: 'seals',
      'WRAPPED WITH': ({ wrapped_with: by, state }) => by ?? (state === 'retired' ? '' : 'nothing'),
    },
    rows,
  );
  return { json: { master_key: masterKeys().fingerprint, rings }, text };
}

function nextStep({ title, name }: RingTitle, version: number, older: number): string {
  if (isAtRest(name))
    return older === 0 ? '' : ` ${older} still use older versions: workforce secrets reseal ${title}.`;
  return ` Values of version ${version - 1} stay valid until you retire it: workforce secrets retire ${title} ${version - 1}.`;
}

async function resealSecrets(installation: Installation, ring: RingTitle, json: boolean): Promise<Outcome> {
  const startedAt = performance.now();
  const total = await countToReseal(installation.pool, ring.name);
  const progress = showProgress(ring.title, total, 'keys', json);
  const resealed = await resealRing(installation, ring, (done) => progress.update(done, Math.max(done, total))).finally(
    () => progress.stop(),
  );
  const left = await countToReseal(installation.pool, ring.name);
  const seconds = (performance.now() - startedAt) / 1_000;
  const text = `${resealed} encrypted again in ${seconds.toFixed(2)} s. ${left === 0 ? 'No value is left to encrypt again.' : `${left} still use another version: run it again.`}`;
  return { json: { ring: ring.title, resealed, left, seconds }, text, exitCode: left === 0 ? 0 : 1 };
}

async function explained<T>({ title }: RingTitle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KeyRingError ? new CommandError(`${title}: ${error.message}`) : error;
  }
}
