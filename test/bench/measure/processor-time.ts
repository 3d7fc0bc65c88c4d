import { readdirSync, readFileSync } from 'node:fs';

/** Processor time in seconds, of user and system together. */
export interface ProcessorTime {
  /** Of Node.js: the server, the worker in it, and all other processes that are not PostgreSQL's. */
  readonly program: number;
  /** Of PostgreSQL: the backends and its background processes. */
  readonly postgres: number;
}

/** One process, as `/proc/PID/stat` shows it. */
interface ProcessStat {
  readonly parent: number;
  readonly name: string;
  /** Seconds that its children had used when they ended. */
  readonly endedChildren: number;
}

/** `/proc/PID/stat` counts in hundredths of a second on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;
const NANOSECONDS = 1e9;

/** Reads one line of `/proc/PID/stat`. A name may contain blanks and brackets, so the fields are counted from the last bracket. */
export function parseStat(line: string): ProcessStat {
  const end = line.lastIndexOf(')');
  const fields = line.slice(end + 2).split(' ');
  const [user, system] = [Number(fields[13]), Number(fields[14])];
  return {
    parent: Number(fields[1]),
    name: line.slice(line.indexOf('(') + 1, end),
    endedChildren: (user + system) / TICKS_PER_SECOND,
  };
}

/**
 * The processor time so far of these processes and of all that descend from them, those that have ended included. Throws on systems without
 * `/proc/PID/task/TID/schedstat`, and where one of the processes has ended.
 */
export function processorTimeOf(roots: readonly number[]): ProcessorTime {
  const all = new Map<number, ProcessStat>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? read(`/proc/${entry}/stat`) : null;
    if (stat !== null) all.set(Number(entry), parseStat(stat));
  }
  const time = { program: 0, postgres: 0 };
  for (const root of roots) {
    if (!all.has(root)) throw new Error(`process ${root} has ended`);
    if (read(`/proc/${root}/schedstat`) === null) throw new Error('this system does not show processor time in /proc/PID/schedstat');
  }
  for (const [pid, { name, endedChildren }] of all) {
    if (descends(pid, roots, all)) time[name === 'postgres' ? 'postgres' : 'program'] += endedChildren + secondsOf(pid);
  }
  return time;
}

/** Seconds of all threads of a process, to the nanosecond: many backends with little work each would be lost in hundredths of a second. */
function secondsOf(pid: number): number {
  let nanoseconds = 0;
  for (const thread of threadsOf(pid)) nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0);
  return nanoseconds / NANOSECONDS;
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The text of a file of a process; null where the process has ended meanwhile: its parent has its time from then on. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

/** The time between two readings, less what the processes would have used at rest; `idle` is seconds a second. */
export function usedBetween(before: ProcessorTime, after: ProcessorTime, idle: ProcessorTime, seconds: number): ProcessorTime {
  return {
    program: Math.max(0, after.program - before.program - idle.program * seconds),
    postgres: Math.max(0, after.postgres - before.postgres - idle.postgres * seconds),
  };
}

function descends(pid: number, roots: readonly number[], all: ReadonlyMap<number, ProcessStat>): boolean {
  for (let current: number | undefined = pid; current !== undefined && current !== 0; current = all.get(current)?.parent) {
    if (roots.includes(current)) return true;
  }
  return false;
}
