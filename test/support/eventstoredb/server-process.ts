import { readFileSync } from 'node:fs';
import type { Faults } from './faults.js';
import { EventStoreDbTestServer, type TestServerOptions } from './test-server.js';

/** What a test may tell a server that is a process of its own. */
export type InjectedFaults = Partial<Pick<Faults, 'hanging' | 'appendDelay' | 'readDelay'>>;

/**
 * The test server as a process of its own, which tests can kill, pause and start again on the same log and port.
 * Started by `ChildServer` through `server-process.cjs`; takes its options as JSON from the command line, with paths of PEM files in place
 * of `tls` where that is wanted, reports its port to the parent, takes faults from it and confirms them, and ends with it.
 */
export async function run(): Promise<void> {
  const { tlsFiles, ...options } = JSON.parse(process.argv[2] ?? '{}') as TestServerOptions & {
    readonly tlsFiles?: { readonly key: string; readonly cert: string };
  };
  const tls = tlsFiles === undefined ? {} : { tls: { key: readFileSync(tlsFiles.key, 'utf8'), cert: readFileSync(tlsFiles.cert, 'utf8') } };
  const server = await EventStoreDbTestServer.start({ ...options, ...tls });
  process.on('disconnect', () => process.exit(0));
  process.on('message', (faults: InjectedFaults) => {
    Object.assign(server.faults, faults);
    process.send?.({ told: true });
  });
  process.send?.({ port: server.port });
}
