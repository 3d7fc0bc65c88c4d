/**
 * Ensures that the tests can run `redis-server` (for the queue on Redis), a browser of the Chromium family
 * (for the pages), and, if possible, httpx for the Python client, without which the tests report that they do
 * not run it. As root on a machine with apt-get it installs missing programs, without their services.
 * Elsewhere it explains how to install them, and exits with 1 unless the program is optional.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Debian runs this program, if it exists, before it starts a service; 101 forbids the start. */
const POLICY = '/usr/sbin/policy-rc.d';
const FORBID = '#!/bin/sh\nexit 101\n';

const PROGRAMS = [
  {
    what: 'redis-server',
    commands: ['redis-server'],
    debianPackage: 'redis-server',
    service: 'redis-server',
    advice: 'install it, for example with "sudo apt-get install redis-server" or "brew install redis".',
  },
  {
    what: 'A browser of the Chromium family',
    commands: JSON.parse(readFileSync(new URL('../test/support/browsers.json', import.meta.url), 'utf8')),
    debianPackage: 'chromium',
    advice: 'install one, for example with "sudo apt-get install chromium" or "brew install --cask google-chrome".',
  },
  {
    what: 'httpx for Python, which runs the tests of the Python client,',
    commands: ['python3', '/usr/bin/python3'],
    question: ['-c', 'import httpx, sys; sys.exit(sys.version_info < (3, 11))'],
    debianPackage: 'python3-httpx',
    advice: 'install it, for example with "sudo apt-get install python3-httpx" or "pip install httpx".',
    isOptional: true,
  },
];

for (const program of PROGRAMS) {
  const problem = isThere(program) ? null : install(program);
  if (problem === null) continue;
  console.error(problem);
  if (!program.isOptional) process.exitCode = 1;
}

/** Returns null if the program is installed afterwards, otherwise a sentence. */
function install(program) {
  const { what, debianPackage, service, advice } = program;
  if (process.getuid?.() !== 0 || !isInstalled('apt-get'))
    return `${what} is not installed, and the tests need it: ${advice}`;
  console.log(`${what} is not installed. The package ${debianPackage} is installed for the tests, without a service.`);
  const failed = without(service, () => {
    // A partly outdated list may be enough; otherwise the installation reports it.
    apt('update');
    return apt('install', '-y', '--no-install-recommends', debianPackage);
  });
  return failed === null && isThere(program)
    ? null
    : `${what} could not be installed${failed === null ? '' : ` (${failed})`}: ${advice}`;
}

/**
 * Installs without starting the service: the tests start their own servers, and a system service would use a
 * port and memory.
 */
function without(service, install) {
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, FORBID, { mode: 0o755 });
  try {
    return install();
  } finally {
    if (isOurs) rmSync(POLICY);
    if (service !== undefined) {
      spawnSync('update-rc.d', [service, 'disable'], { stdio: 'ignore' });
      spawnSync('systemctl', ['disable', '--now', service], { stdio: 'ignore' });
    }
  }
}

/** Returns null if it succeeds, otherwise the last line of its output. */
function apt(...parameters) {
  const { status, stderr } = spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...parameters], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  return status === 0 ? null : (stderr.trim().split('\n').at(-1) ?? 'apt-get failed');
}

function isThere({ commands, question }) {
  return commands.some((command) => isInstalled(command, question));
}

function isInstalled(command, question = ['--version']) {
  return spawnSync(command, question, { stdio: 'ignore' }).status === 0;
}
