import { EventStoreDbTestServer, type TestServerOptions } from './test-server.js';

/**
 * The test server as a process of its own, which tests can kill, pause and start again on the same log and port.
 * Started by `ChildServer` through `server-process.cjs`; takes its options as JSON from the command line, reports its
 * port to the parent, and ends with it.
 */
export async function run(): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? '{}') as TestServerOptions;
  const server = await EventStoreDbTestServer.start(options);
  process.on('disconnect', () => process.exit(0));
  process.send?.({ port: server.port });
}
