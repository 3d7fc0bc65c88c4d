import { readFileSync } from 'node:fs';
import type { Faults } from './faults.js';
import { EventStoreDbTestServer, type TestServerOptions } from './test-server.js';

/** The faults that a test can set in a server that runs as a separate process. */
export type InjectedFaults = Partial<Pick<Faults, 'hanging' | 'appendDelay' | 'readDelay'>>;

/**
 * The test server as a separate process, which tests can kill, pause and start again on the same log and
 * port. `ChildServer` starts it through `server-process.cjs`. It takes its options as JSON from the command
 * line, with paths of PEM files in `tls` where TLS is wanted. It reports its port to the parent, receives and
 * confirms faults, and ends with the parent.
 */
export async function run(): Promise<void> {
  const { tlsFiles, ...options } = JSON.parse(process.argv[2] ?? '{}') as TestServerOptions & {
    readonly tlsFiles?: { readonly key: string; readonly cert: string };
  };
  const tls =
    tlsFiles === undefined
      ? {}
      : { tls: { key: readFileSync(tlsFiles.key, 'utf8'), cert: readFileSync(tlsFiles.cert, 'utf8') } };
  const server = await EventStoreDbTestServer.start({ ...options, ...tls });
  process.on('disconnect', () => process.exit(0));
  process.on('message', (faults: InjectedFaults) => {
    Object.assign(server.faults, faults);
    process.send?.({ told: true });
  });
  process.send?.({ port: server.port });
}
