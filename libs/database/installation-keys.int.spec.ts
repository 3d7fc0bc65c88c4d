import { databaseForSpec } from '../../test/support/postgres.js';
import { type InstallationKeys, loadInstallationKeys } from './installation-keys.js';

describe('the keys of an installation', () => {
  const database = databaseForSpec();

  const secretsOf = async ({ ids, ...rings }: InstallationKeys): Promise<readonly string[]> => {
    const current = await Promise.all(
      [rings.cursors, rings.avatarLinks, rings.webhookSecrets].map((ring) => ring.current()),
    );
    return [ids, ...current.map((key) => key!.secret)].map((secret) => secret.toString('hex'));
  };

  it('are created once, by any process, and stay', async () => {
    const loaded = await Promise.all(Array.from({ length: 10 }, () => loadInstallationKeys(database.pool)));
    const first = await secretsOf(loaded[0]!);
    expect(first).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^[\da-f]{64}$/)));
    expect(new Set(first).size).toBe(4);
    for (const keys of loaded) expect(await secretsOf(keys)).toEqual(first);
    expect(await secretsOf(await loadInstallationKeys(database.pool))).toEqual(first);
  });
});
