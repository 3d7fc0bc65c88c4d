import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { codeOf } from '#database/error-code.js';

/** A process, distinguished from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * Its start time in the system's own form; only compared for equality. Null if the system does not report
   * it.
   */
  readonly started: string | null;
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid) };
}

/** Whether exactly this process is running, not another one with the same id. */
export function isRunning(identity: ProcessIdentity): boolean {
  if (!exists(identity.pid)) return false;
  const started = startOf(identity.pid);
  return started === null || identity.started === null || started === identity.started;
}

/** Whether a process has the id, not counting zombies. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if (codeOf(error) !== 'EPERM') return false;
  }
  return stateOf(pid) !== 'Z';
}

/** The command that a process runs, with its parameters; empty if it cannot be determined. */
export function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    // The process has ended meanwhile.
    return '';
  }
}

function startOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      const ticks = fieldsOf(pid)[19];
      return ticks === undefined ? null : `${boot}:${ticks}`;
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    // The process has ended meanwhile, or the system has neither /proc nor ps.
    return null;
  }
}

function stateOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return fieldsOf(pid)[0];
  } catch {
    // The process has ended meanwhile.
    return 'Z';
  }
}

/**
 * The fields of /proc/PID/stat from the third one (state) on; the second, a name, may contain spaces and
 * brackets.
 */
function fieldsOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
