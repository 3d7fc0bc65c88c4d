import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { loadInstallationKeys } from './installation-keys.js';

describe('the keys of an installation', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  it('are made once, whoever asks first, and stay', async () => {
    const loaded = await Promise.all(Array.from({ length: 10 }, () => loadInstallationKeys(database.pool)));
    const [first] = loaded;
    expect(first!.ids).toHaveLength(32);
    expect(first!.ids.equals(first!.cursors)).toBe(false);
    for (const keys of loaded) expect(keys).toEqual(first);
    expect(await loadInstallationKeys(database.pool)).toEqual(first);
  });
});
