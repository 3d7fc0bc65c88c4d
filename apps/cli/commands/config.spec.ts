import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VARIABLES } from '#configuration/configuration.js';
import { showSettings } from './config.js';

interface Shown {
  readonly ok: boolean;
  readonly variables: readonly { readonly name: string; readonly value: unknown; readonly source: string }[];
  readonly issues: readonly string[];
}

async function shown(environment: NodeJS.ProcessEnv, name: string): Promise<unknown> {
  const { json } = await showSettings(environment);
  return (json as Shown).variables.find((variable) => variable.name === name);
}

describe('the configuration as it is shown', () => {
  it('has every variable, and the default of those that are not set', async () => {
    const { json, exitCode } = await showSettings({});
    expect((json as Shown).variables.map(({ name }) => name)).toEqual(Object.values(VARIABLES).map(({ name }) => name));
    expect((json as Shown).variables.every(({ source }) => source === 'default')).toBe(true);
    expect(exitCode).toBe(0);
    expect(await shown({}, 'PORT')).toMatchObject({ value: 3000 });
  });

  it('has the values of the environment, as the program reads them', async () => {
    const cidrs = { TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' };
    expect(await shown(cidrs, 'TRUSTED_PROXIES')).toEqual({
      name: 'TRUSTED_PROXIES',
      value: ['10.0.0.0/8', 'fd00::/8'],
      source: 'environment',
      file: null,
      is_secret: false,
    });
    expect((await showSettings(cidrs)).text).toMatch(/^TRUSTED_PROXIES +10\.0\.0\.0\/8,fd00::\/8 +environment$/m);
  });

  it('names the file of a secret, and not its content', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'workforce-'));
    try {
      const path = join(directory, 'token');
      writeFileSync(path, 'a-token-of-many-characters\n');
      const environment = { OPS_TOKEN_FILE: path };
      expect(await shown(environment, 'OPS_TOKEN')).toMatchObject({ value: '********', source: 'file', file: path });
      expect((await showSettings(environment)).text).not.toContain('a-token');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it.each([
    [
      'DATABASE_URL',
      'postgres://hr:hush@db.example:5432/workforce?sslmode=require',
      'postgres://********@db.example:5432/workforce?********',
    ],
    ['DATABASE_URL', 'postgres://db.example/workforce', 'postgres://db.example/workforce'],
    [
      'EVENTSTORE_URL',
      'esdb+discover://hr:hush@a.example:2113,b.example:2113?tls=true',
      'esdb+discover://********@a.example:2113,b.example:2113?********',
    ],
    ['REDIS_URL', 'rediss://:hush@redis.example:6379/0', 'rediss://********@redis.example:6379/0'],
    ['REDIS_URL', 'redis://:hu/sh@redis.example', '********'],
    ['MASTER_KEY', Buffer.alloc(32, 7).toString('base64'), '********'],
    ['OPS_TOKEN', 'hush://hush-hush-hush', '********'],
  ])('masks what is secret in %s', async (name, text, value) => {
    expect(await shown({ [name]: text }, name)).toMatchObject({ value });
    expect(JSON.stringify(await showSettings({ [name]: text }))).not.toContain('hush');
  });

  it('lists every error, and still shows the rest', async () => {
    const { json, text, exitCode } = await showSettings({
      PORT: 'many',
      OIDC_ISSUER: 'https://id.example',
      HOST: '::1',
    });
    expect(exitCode).toBe(1);
    expect((json as Shown).issues[0]).toBe('PORT must be a whole number from 0 to 65535, not "many".');
    expect((json as Shown).issues).toHaveLength(4);
    expect(text).toMatch(/^PORT +many +environment$/m);
    expect(text).toMatch(/^HOST +::1 +environment$/m);
  });
});
