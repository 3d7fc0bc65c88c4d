import { readFileSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import pg from 'pg';

/**
 * The health check of a service from the Compose file, run in its container. Checks without a program on this
 * machine are replaced: pg_isready by a connection, the event store's page by a handshake that its
 * certificate must pass.
 */
export function healthCheck({ name, service, networks, secrets }) {
  const [kind, ...test] = service.healthcheck.test ?? [];
  if (test[0] === 'pg_isready')
    return () =>
      databaseAnswers(
        `postgres://workforce:${readSecret(secrets, 'database_password')}@${networks.addressOf(name)}:5432/workforce`,
      );
  if (test[0] === 'curl')
    return () => handshake(networks.addressOf(name), 2113, readFileSync(`${secrets}/eventstore_ca.crt`));
  const command = kind === 'CMD-SHELL' ? ['/bin/sh', '-c', ...test] : test;
  return async (container) => (await container.exec(command, 10_000)).code === 0;
}

function readSecret(secrets, name) {
  return readFileSync(`${secrets}/${name}`, 'utf8').trim();
}

async function databaseAnswers(connectionString) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
  return true;
}

function handshake(host, port, ca) {
  return new Promise((settle, reject) => {
    const socket = connectTls(
      { host, port, ca, servername: 'eventstore', ALPNProtocols: ['h2'], timeout: 2_000 },
      () => {
        socket.destroy();
        settle(true);
      },
    );
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
  });
}
