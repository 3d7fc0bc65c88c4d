require('./typescript-require.cjs');

/** Offers one PostgreSQL server to the whole run; it starts when the first test needs it. */
module.exports = async () => {
  const { offerTestServer } = require('./test-server.ts');
  globalThis.__WORKFORCE_TEST_SERVER__ = await offerTestServer();
};
