module.exports = async () => {
  await globalThis.__WORKFORCE_TEST_SERVER__?.stop();
};
