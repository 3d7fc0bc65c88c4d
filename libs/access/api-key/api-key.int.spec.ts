import { randomBytes } from 'node:crypto';
import { createApiKey, revokeApiKey } from '../../../test/support/access.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import type { CommandServices } from '#commands/services.js';
import { newOrganisation } from '../../../test/support/api/test-api.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { type NewApiKey } from './api-key.api.js';
import { findApiKey } from './api-key.js';

const database = databaseForSpec();
let services: CommandServices;
let owner: OrganisationRow;
beforeAll(async () => {
  services = testServices(database);
  owner = await newOrganisation(services);
});

function create(changes: Partial<NewApiKey> = {}) {
  const requested: NewApiKey = {
    name: 'Payroll',
    environment: 'live',
    scopes: ['people:read', 'people:write'],
    secretHash: randomBytes(32),
    prefix: 'svc_live_',
    lastFour: 'wxyz',
    expiresAt: null,
    now: new Date(),
    ...changes,
  };
  return createApiKey(services, testContext(owner.id), owner, requested);
}

async function authorisationVersion(): Promise<string> {
  const { rows } = await database.pool.query<{ version: string }>('select version::text from authorisation_version');
  return rows[0]!.version;
}

describe('a key', () => {
  it('is revoked once, and invalidates cached authentications', async () => {
    const { key_id: keyId } = await create();
    const before = await authorisationVersion();
    const revoked = await revokeApiKey(services, testContext(owner.id), keyId);
    expect(revoked.revoked_at).toBeInstanceOf(Date);
    const after = await authorisationVersion();
    expect(Number(after)).toBe(Number(before) + 1);
    expect(await revokeApiKey(services, testContext(owner.id), keyId)).toEqual(revoked);
    expect(await authorisationVersion()).toBe(after);
  });

  it('whose projection was lost in a crash is repaired by the same command', async () => {
    const { key_id: keyId } = await create();
    await revokeApiKey(services, testContext(owner.id), keyId);
    await database.pool.query('update api_keys set revoked_at = null, revision = 0 where key_id = $1', [keyId]);
    expect((await revokeApiKey(services, testContext(owner.id), keyId)).revoked_at).toBeInstanceOf(Date);
    expect((await findApiKey(database.pool, keyId))?.revoked_at).toBeInstanceOf(Date);
  });
});
