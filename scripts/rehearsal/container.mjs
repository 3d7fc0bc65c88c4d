import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Directories of this machine's system that every "image" gets, read-only. */
const SYSTEM = ['/usr', '/etc/ssl'];
const RESTART_PAUSE_MILLISECONDS = 1_000;
const MAX_RESTARTS = 10;
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];

/**
 * One service of the Compose file as a process in namespaces of its own: its networks, a read-only file
 * system except for its volumes and tmpfs, its secrets at their paths, its user, no capabilities, process
 * number 1. `image` provides the content of an image.
 */
export class Container {
  output = '';
  startedAt = 0;
  /** The number of restarts by the policy. */
  restarts = 0;
  #child = null;
  #exited = Promise.resolve(null);
  #isStopping = false;

  constructor({ name, service, image, mounts, networks, directory }) {
    Object.assign(this, { name, service, image, networks });
    this.directory = join(directory, name);
    mkdirSync(join(this.directory, 'root'), { recursive: true });
    this.mounts = [...image.mounts, ...mounts];
    [this.user, this.group] = service.user.split(':').map(Number);
  }

  get isRunning() {
    return this.#child !== null;
  }

  /** Settles with the exit code when it ends; null if a signal ended it. */
  get exited() {
    return this.#exited;
  }

  start(parameters = this.image.command(this.service)) {
    this.startedAt = Date.now();
    const command = [
      `--net=/run/netns/${this.name}`,
      'unshare',
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-e',
      this.#script(),
      ...this.#inside(parameters),
    ];
    const child = spawn('nsenter', command, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (this.output += chunk));
    this.#isStopping = false;
    this.#exited = new Promise((settle) => child.once('close', (code) => settle(code))).then((code) => {
      this.#child = null;
      if (!this.#isStopping && this.service.restart === 'unless-stopped') this.#startAgain();
      return code;
    });
  }

  /** Restarts the process, as the restart policy requires. */
  #startAgain() {
    this.restarts += 1;
    this.output += '--- it ended, and is started again\n';
    setTimeout(() => this.start(), RESTART_PAUSE_MILLISECONDS).unref();
  }

  /** Runs a command in the container, as `docker compose exec` does. */
  async exec(parameters, milliseconds = 60_000) {
    const target = this.#processId();
    const child = spawn(
      'nsenter',
      ['--target', String(target), '--mount', '--net', '--pid', '--root', '--', ...this.#inside(parameters)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: milliseconds,
      },
    );
    const [stdout, stderr] = await Promise.all(
      [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray()),
    );
    const code = child.exitCode ?? (await new Promise((settle) => child.once('close', settle)));
    return { code, stdout: stdout.join(''), stderr: stderr.join('') };
  }

  /** Waits for its health check; throws with its last output if it ends or takes too long. */
  async untilHealthy(check, milliseconds = 240_000) {
    for (const deadline = Date.now() + milliseconds; ; await wait(200)) {
      if (this.restarts > MAX_RESTARTS || Date.now() > deadline)
        throw new Error(`${this.name} did not become healthy:\n${this.output.slice(-3_000)}`);
      if (this.isRunning && (await check(this).catch(() => false))) return Date.now() - this.startedAt;
    }
  }

  /** Sends its stop signal, and SIGKILL after the time of grace, as an engine does. */
  async stop(graceMilliseconds) {
    const begun = Date.now();
    this.#isStopping = true;
    process.kill(this.#processId(), this.service.stop_signal ?? 'SIGTERM');
    const isOver = await Promise.race([this.#exited.then(() => true), wait(graceMilliseconds, false, { ref: false })]);
    if (!isOver) process.kill(this.#processId(), 'SIGKILL');
    return { code: await this.#exited, wasKilled: !isOver, milliseconds: Date.now() - begun };
  }

  /** The id of the container's process 1 in this namespace. */
  #processId() {
    const { pid } = this.#child;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
  }

  #inside(parameters) {
    const { PATH, ...environment } = { PATH: this.image.path, ...this.service.environment, ...this.image.environment };
    const drop = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
    const settings = Object.entries({ ...environment, PATH, HOME: '/tmp' }).map(([name, value]) => `${name}=${value}`);
    return [
      'setpriv',
      `--reuid=${this.user}`,
      `--regid=${this.group}`,
      ...drop,
      '--',
      'env',
      '-i',
      '-C',
      this.image.directory,
      ...settings,
      ...parameters,
    ];
  }

  /**
   * Creates its file system, then its process: numbered 1 in a namespace of its own, which ends with the
   * waiting process.
   */
  #script() {
    const root = join(this.directory, 'root');
    const lines = [
      `R=${root}`,
      'mount -t tmpfs -o mode=755,size=8m rehearsal $R',
      'mkdir -p $R/etc $R/dev $R/proc $R/var $R/run $R/tmp',
      'ln -s /run $R/var/run',
    ];
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) lines.push(`ln -s usr/${name} $R/${name}`);
    const files = this.#files();
    const devices = DEVICES.map((name) => ({
      source: `/dev/${name}`,
      target: `/dev/${name}`,
      isFile: true,
      isWritable: true,
    }));
    const system = SYSTEM.map((path) => ({ source: path, target: path }));
    // Shorter paths first, so that a mount does not hide those below it.
    const tmpfs = [...(this.service.tmpfs ?? []), `/dev/shm:size=${this.service.shm_size ?? '64m'},mode=1777`].map(
      (entry) => {
        const [target, options] = entry.split(':');
        return { target: target.replace(/^\/var\/run\//, '/run/'), options };
      },
    );
    for (const mount of [...system, ...files, ...devices, ...tmpfs, ...this.mounts]) lines.push(...mountLines(mount));
    lines.push(
      'mount -o remount,ro $R',
      'exec unshare --pid --fork --kill-child=KILL --mount-proc=$R/proc chroot $R "$@"',
    );
    const path = join(this.directory, 'start.sh');
    writeFileSync(path, lines.join('\n'));
    return path;
  }

  /** The files in /etc that an image contains or an engine creates. */
  #files() {
    const contents = {
      passwd: `root:x:0:0::/root:/bin/sh\nservice:x:${this.user}:${this.group}::/tmp:/bin/sh\n`,
      group: `root:x:0:\nservice:x:${this.group}:\n`,
      hosts: '127.0.0.1 localhost\n',
      'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
      'resolv.conf': `nameserver ${this.networks.nameServerOf(this.name)}\noptions ndots:0\n`,
    };
    return Object.entries(contents).map(([name, text]) => {
      const source = join(this.directory, name);
      writeFileSync(source, text);
      return { source, target: `/etc/${name}`, isFile: true };
    });
  }
}

function mountLines({ source, target, isFile = false, isWritable = false, options }) {
  const place = `$R${target}`;
  if (source === undefined) return [`mkdir -p ${place}`, `mount -t tmpfs -o nosuid,nodev,${options} tmpfs ${place}`];
  const make = isFile ? `mkdir -p $(dirname ${place}) && touch ${place}` : `mkdir -p ${place}`;
  return [make, `mount --bind ${source} ${place}`, ...(isWritable ? [] : [`mount -o remount,ro,bind ${place}`])];
}

/** Creates a volume that belongs to the user of its image. */
export function makeVolume(directory, user, group) {
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o700);
  chownSync(directory, user, group);
  return directory;
}
