const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
require('./typescript-require.cjs');

/**
 * Writes what specs of the client need from the OpenAPI document, where that has changed. Offers one
 * PostgreSQL server to the whole run; it starts when the first test needs it.
 */
module.exports = async () => {
  spawnSync(process.execPath, [join(__dirname, '../../scripts/generate-client.mjs')], { stdio: 'inherit' });
  const { offerTestServer } = require('./test-server.ts');
  globalThis.__WORKFORCE_TEST_SERVER__ = await offerTestServer();
};
