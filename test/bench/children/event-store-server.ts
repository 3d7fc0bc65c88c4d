import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';
import { answerParent } from './answer.js';

const servers: EventStoreDbTestServer[] = [];

/** Starts a test server that speaks EventStoreDB's protocol, empty and with its log in a file. Gives its connection string. */
async function start({ file }: { readonly file: string }): Promise<string> {
  const server = await EventStoreDbTestServer.start({ file });
  servers.push(server);
  return server.connectionString;
}

answerParent({ start }, async () => void (await Promise.all(servers.map((server) => server.stop()))));
