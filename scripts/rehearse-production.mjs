/**
 * Runs docker-compose.yml without a container engine: every service as a process in namespaces of its own,
 * with its networks, secrets, user, read-only file system and start order; then uses it like callers and
 * operators, and reports the results.
 *
 * `npm run rehearse [-- --build]`: with `--build` the program is built by the steps of the Dockerfile,
 * otherwise this clone's build is run. Needs Linux and root. Limits of memory and processors are not tested,
 * and `scripts/rehearsal/images.mjs` has the replacement of each image.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const INSIDE = 'WORKFORCE_REHEARSAL';
const DEBIAN_PACKAGES = {
  haproxy: 'haproxy',
  'redis-server': 'redis-server',
  openssl: 'openssl',
  ip: 'iproute2',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
};

if (process.env[INSIDE] === undefined) {
  process.exitCode = outside();
} else {
  const { rehearse } = await import('./rehearsal/rehearse.mjs');
  process.exitCode = await rehearse({
    root,
    directory: process.env[INSIDE],
    program: process.env[`${INSIDE}_PROGRAM`],
  });
  process.exit();
}

/**
 * Prepares the steps that need the network, then continues in namespaces of its own, which end with
 * everything in them.
 */
function outside() {
  if (process.platform !== 'linux' || process.getuid() !== 0)
    return refuse('The rehearsal needs Linux and root: it makes namespaces, networks and users of its own.');
  if (!existsSync(join(root, 'dist', 'apps', 'cli', 'main.js')))
    return refuse('The program is not built: run "npm run build" first.');
  const missing = Object.entries(DEBIAN_PACKAGES)
    .filter(([program]) => !isThere(program))
    .map(([, name]) => name);
  if (missing.length > 0 && !install(missing))
    return refuse(`These are missing and could not be installed: ${missing.join(', ')}.`);
  const directory = mkdtempSync(join(tmpdir(), 'workforce-rehearsal-'));
  chmodSync(directory, 0o711);
  try {
    const program = process.argv.includes('--build') ? join(directory, 'image') : root;
    if (
      program !== root &&
      spawnSync(process.execPath, [join(root, 'scripts', 'rehearsal', 'build-image.mjs'), program], {
        stdio: 'inherit',
      }).status !== 0
    )
      return 1;
    const parameters = [
      '--mount',
      '--net',
      '--pid',
      '--fork',
      '--kill-child=KILL',
      '--mount-proc',
      '--propagation',
      'private',
      process.execPath,
      import.meta.filename,
    ];
    const { status } = spawnSync('unshare', parameters, {
      stdio: 'inherit',
      env: { ...process.env, [INSIDE]: directory, [`${INSIDE}_PROGRAM`]: program },
    });
    return status ?? 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function isThere(program) {
  return (
    spawnSync('sh', ['-c', `PATH="$PATH:/usr/sbin:/sbin" command -v ${program}`], { stdio: 'ignore' }).status === 0
  );
}

/** Installs packages without starting their services: the exit code 101 of policy-rc.d forbids the start. */
function install(packages) {
  console.log(`Installed from the system's packages, without services: ${packages.join(', ')}.`);
  const script = `policy=/usr/sbin/policy-rc.d; mine=; if [ ! -e $policy ]; then mine=1; printf '#!/bin/sh\\nexit 101\\n' > $policy; chmod 755 $policy; fi
    apt-get -qq update; apt-get -qq install -y --no-install-recommends "$@" > /dev/null; status=$?; [ -z "$mine" ] || rm $policy; exit $status`;
  return (
    spawnSync('sh', ['-c', script, 'install', ...packages], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    }).status === 0
  );
}

function refuse(sentence) {
  console.error(sentence);
  return 1;
}
