/**
 * Sees to it that `redis-server` can be run, which the tests of the queue on Redis start for themselves. Nothing happens where
 * it is on PATH; as root on a machine with apt-get it is installed, without a service; elsewhere one sentence says how to get it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Debian asks this program, where it is there, before it starts a service; 101 forbids it. */
const POLICY = '/usr/sbin/policy-rc.d';
const FORBID = '#!/bin/sh\nexit 101\n';
const ADVICE = 'install it, for example with "sudo apt-get install redis-server" or "brew install redis".';

const problem = isThere('redis-server') ? null : provide();
if (problem !== null) {
  console.error(problem);
  process.exitCode = 1;
}

/** Null where it is there afterwards, else a sentence. */
function provide() {
  if (process.getuid?.() !== 0 || !isThere('apt-get')) return `redis-server is not on PATH, and the tests need it: ${ADVICE}`;
  console.log('redis-server is not on PATH and is installed from the system’s packages, for the tests alone.');
  const failed = withoutServices(() => {
    // A list that is only partly up to date may do; whether it does, the installation tells.
    apt('update');
    return apt('install', '-y', '--no-install-recommends', 'redis-server');
  });
  return failed === null && isThere('redis-server')
    ? null
    : `redis-server could not be installed${failed === null ? '' : ` (${failed})`}: ${ADVICE}`;
}

/** The tests start servers of their own; one of the system would hold a port and memory without use, now or after a restart. */
function withoutServices(install) {
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, FORBID, { mode: 0o755 });
  try {
    return install();
  } finally {
    if (isOurs) rmSync(POLICY);
    spawnSync('update-rc.d', ['redis-server', 'disable'], { stdio: 'ignore' });
    spawnSync('systemctl', ['disable', '--now', 'redis-server'], { stdio: 'ignore' });
  }
}

/** Null where it succeeds, else the last line of what it says. */
function apt(...parameters) {
  const { status, stderr } = spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...parameters], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  return status === 0 ? null : (stderr.trim().split('\n').at(-1) ?? 'apt-get failed');
}

function isThere(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}
