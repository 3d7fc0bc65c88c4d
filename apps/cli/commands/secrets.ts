import type { Pool } from 'pg';
import {
  KeyRingError,
  listVersions,
  retireVersion,
  rotateRing,
  type RingVersion,
  wrapSecrets,
} from '#database/key-rings/administration.js';
import { masterKeys } from '#database/key-rings/master-keys.js';
import { command } from '../command.js';
import type { Outcome } from '../declaration.js';
import { CommandError, UsageError } from '../command-error.js';
import type { Installation } from '../installation.js';
import { parseInteger, required, text } from '../options.js';
import { showProgress } from '../progress.js';
import { textTable } from '../text-table.js';
import { countBeforeRetirement, resealRing, ringOf, RINGS, type RingTitle, sealedBy } from '../work/rings.js';

const RING = required(text('', 'cursors, picture-links, webhook-secrets or personal-data', ringOf));
const VERSION = required(text('', 'version to retire, from secrets list', versionOf));

/** `workforce secrets …`: the keys of the installation, and their versions. */
export const commands = {
  list: command({
    description: 'list the key rings, their versions, and how many values each version encrypts',
    run: (_, { installation }) => listSecrets(installation),
  }),
  rotate: command({
    description: 'make a new version, which is used from now on; older versions stay valid until they are retired',
    arguments: { ring: RING },
    run: ({ ring }, { installation }) => rotateSecret(installation, ring),
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
    run: ({ ring, version }, { installation }) => retireSecret(installation, ring, version),
  }),
  wrap: command({
    description: 'wrap the keys of the installation with MASTER_KEY; run it again when MASTER_KEY is replaced',
    run: (_, { pool }) => wrapKeys(pool),
  }),
};

function versionOf(given: string): number {
  const version = parseInteger(given);
  if (version >= 1 && version <= 9_999) return version;
  throw new UsageError('The version must be a whole number, as "workforce secrets list" shows it.');
}

async function listSecrets(installation: Installation): Promise<Outcome> {
  const versions = await listVersions(installation.pool);
  const rings = [];
  for (const ring of RINGS) {
    const sealed = await sealedBy(installation, ring.name);
    const own = versions.filter((version) => version.ring === ring.name).map((version) => summaryOf(version, sealed));
    rings.push({
      ring: ring.title,
      rotatable: ring.name !== 'ids',
      versions: own,
      not_wrapped: ring.name === 'personal_data' ? (sealed?.get(null) ?? 0) : null,
    });
  }
  return { json: { master_key: masterKeys().fingerprint, rings }, text: tableOf(rings) };
}

type SecretSummary = ReturnType<typeof summaryOf>;

function summaryOf(
  { version, isCurrent, retiredAt, createdAt, ageDays, wrappedBy }: RingVersion,
  sealed: ReadonlyMap<number | null, number> | null,
) {
  return {
    version,
    state: retiredAt !== null ? ('retired' as const) : isCurrent ? ('current' as const) : ('opens' as const),
    created_at: createdAt.toISOString(),
    age_days: Math.floor(ageDays),
    retired_at: retiredAt?.toISOString() ?? null,
    seals: sealed === null || retiredAt !== null ? null : (sealed.get(version) ?? 0),
    wrapped_with: wrappedBy,
  };
}

function tableOf(
  rings: readonly {
    readonly ring: string;
    readonly versions: readonly SecretSummary[];
    readonly not_wrapped: number | null;
  }[],
): string {
  const rows = rings.flatMap(({ ring, versions, not_wrapped: unwrapped }) => [
    ...versions.map(({ version, state, created_at: at, age_days: days, seals, wrapped_with: by }) => [
      ring,
      String(version),
      state,
      at.slice(0, 10),
      `${days} d`,
      seals === null ? '' : String(seals),
      by ?? (state === 'retired' ? '' : 'nothing'),
    ]),
    ...((unwrapped ?? 0) === 0 ? [] : [[ring, '', 'not wrapped', '', '', String(unwrapped), '']]),
  ]);
  return textTable(['RING', 'VERSION', 'STATE', 'MADE', 'AGE', 'SEALS', 'WRAPPED WITH'], rows);
}

async function rotateSecret(installation: Installation, ring: RingTitle): Promise<Outcome> {
  const version = await explained(ring, () => rotateRing(installation.pool, ring.name, masterKeys()));
  const older = [...((await sealedBy(installation, ring.name)) ?? [])].reduce(
    (sum, [by, count]) => (by === version ? sum : sum + count),
    0,
  );
  return {
    json: { ring: ring.title, version, to_reseal: older },
    text: `Version ${version} of ${ring.title} ${ring.does} from now on.${nextStep(ring, version, older)}`,
  };
}

function nextStep({ title, name }: RingTitle, version: number, older: number): string {
  if (name === 'webhook_secrets' || name === 'personal_data')
    return older === 0 ? '' : ` ${older} still use older versions: workforce secrets reseal ${title}.`;
  return ` Values of version ${version - 1} stay valid until you retire it: workforce secrets retire ${title} ${version - 1}.`;
}

async function resealSecrets(installation: Installation, ring: RingTitle, json: boolean): Promise<Outcome> {
  const startedAt = performance.now();
  const total = await toReseal(installation, ring);
  const progress = showProgress(ring.title, total, 'keys', json);
  const resealed = await resealRing(installation, ring, (done) => progress.update(done, Math.max(done, total))).finally(
    () => progress.stop(),
  );
  const left = await toReseal(installation, ring);
  const seconds = (performance.now() - startedAt) / 1_000;
  const text = `${resealed} encrypted again in ${seconds.toFixed(2)} s. ${left === 0 ? 'No value is left to encrypt again.' : `${left} still use another version: run it again.`}`;
  return { json: { ring: ring.title, resealed, left, seconds }, text, exitCode: left === 0 ? 0 : 1 };
}

/** The number of values that another version than the current one encrypts. */
async function toReseal({ pool }: Installation, ring: RingTitle): Promise<number> {
  const current = (await listVersions(pool)).find(
    (version) => version.ring === ring.name && version.isCurrent,
  )?.version;
  return [...((await sealedBy({ pool }, ring.name)) ?? [])].reduce(
    (sum, [version, count]) => (version === current ? sum : sum + count),
    0,
  );
}

async function retireSecret(installation: Installation, ring: RingTitle, version: number): Promise<Outcome> {
  await explained(ring, () =>
    retireVersion(installation.pool, ring.name, version, (connection) =>
      countBeforeRetirement(installation, ring.name, version, connection),
    ),
  );
  return {
    json: { ring: ring.title, version, state: 'retired' },
    text: `Version ${version} of ${ring.title} is retired: nothing can be opened with it.`,
  };
}

async function wrapKeys(pool: Pool): Promise<Outcome> {
  const wrapped = await wrapSecrets(pool, masterKeys());
  const text =
    wrapped === 0
      ? 'All keys of the installation are wrapped with this master key.'
      : `${wrapped} keys of the installation are wrapped with the master key ${masterKeys().fingerprint} from now on.`;
  return { json: { wrapped, master_key: masterKeys().fingerprint }, text };
}

async function explained<T>({ title }: RingTitle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KeyRingError ? new CommandError(`${title}: ${error.message}`) : error;
  }
}
