import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import { listVersions, type RingVersion } from '#database/key-rings/administration.js';
import { MasterKeyMissingError, masterKeysOf } from '#database/key-rings/master-keys.js';
import { countToReseal, RINGS } from '../work/rings.js';
import { failed, ok, warning, type Finding } from './check.js';

const OLD_DAYS = 365;

/**
 * Checks the key rings for old versions, for values encrypted with older versions, and for keys that are not
 * wrapped with the configured master key.
 */
export async function checkKeys(
  pool: Pool,
  configuration: Pick<Configuration, 'masterKey' | 'previousMasterKey'>,
): Promise<readonly Finding[]> {
  const versions = await listVersions(pool);
  const findings = [
    ...checkWrapping(versions, configuration),
    ...checkAges(versions),
    ...(await checkReseals(pool, versions)),
  ];
  return findings.length > 0
    ? findings
    : [ok('keys', 'No key of the installation is older than a year, and none is left to reseal.')];
}

function checkWrapping(
  versions: readonly RingVersion[],
  configuration: Pick<Configuration, 'masterKey' | 'previousMasterKey'>,
): readonly Finding[] {
  const live = versions.filter(({ retiredAt }) => retiredAt === null);
  const given = [configuration.masterKey, configuration.previousMasterKey].map(
    (masterKey) => masterKeysOf({ masterKey, previousMasterKey: null }).fingerprint,
  );
  const foreign = live.find(({ wrappedBy }) => wrappedBy !== null && !given.includes(wrappedBy));
  if (foreign !== undefined) return [failed('keys', new MasterKeyMissingError(foreign.wrappedBy!).message)];
  const [fingerprint] = given;
  const otherwise = live.filter(({ wrappedBy }) => wrappedBy !== fingerprint).length;
  if (fingerprint === null || otherwise === 0) return [];
  const message = `${otherwise} keys of the installation are not wrapped with MASTER_KEY.`;
  return [warning('keys', message, 'Run "workforce secrets wrap" when every process has it.')];
}

function checkAges(versions: readonly RingVersion[]): readonly Finding[] {
  return RINGS.flatMap(({ name, title }) => {
    const old = versions.find(({ ring, isCurrent, ageDays }) => ring === name && isCurrent && ageDays > OLD_DAYS);
    if (old === undefined || name === 'ids') return [];
    const message = `Version ${old.version} of the key ${title} is ${Math.floor(old.ageDays)} days old.`;
    return [warning('keys', message, `Rotate it: "workforce secrets rotate ${title}".`)];
  });
}

async function checkReseals(pool: Pool, versions: readonly RingVersion[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, title } of RINGS) {
    const current = versions.find(({ ring, isCurrent }) => ring === name && isCurrent)?.version;
    if (current === undefined) continue;
    const left = await countToReseal(pool, name, current);
    if (left === 0) continue;
    const values = left === 1 ? '1 value is' : `${left} values are`;
    const message = `${values} encrypted with another version than ${current} of the key ${title}.`;
    findings.push(warning('keys', message, `Run "workforce secrets reseal ${title}".`));
  }
  return findings;
}
