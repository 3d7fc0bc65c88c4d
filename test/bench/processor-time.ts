import { readdirSync, readFileSync } from 'node:fs';

/** Processor time in seconds, of user and system together. */
export interface ProcessorTime {
  readonly node: number;
  readonly postgres: number;
}

/** One process, as `/proc/PID/stat` shows it. */
interface ProcessStat {
  readonly parent: number;
  readonly name: string;
  /** Seconds of the process and of those of its children that have ended. */
  readonly seconds: number;
}

/** `/proc/PID/stat` counts in hundredths of a second on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/**
 * Reads one line of `/proc/PID/stat`. A name may contain blanks and brackets, so the fields are counted from
 * the last bracket.
 */
export function parseStat(line: string): ProcessStat {
  const end = line.lastIndexOf(')');
  const fields = line.slice(end + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), name: line.slice(line.indexOf('(') + 1, end), seconds: ticks / TICKS_PER_SECOND };
}

/**
 * The processor time so far of these processes and of all that descend from them. Throws where one of them
 * has ended.
 */
export function processorTimeOf(roots: readonly number[]): ProcessorTime {
  const all = new Map<number, ProcessStat>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(entry) : null;
    if (stat !== null) all.set(Number(entry), stat);
  }
  for (const root of roots) if (!all.has(root)) throw new Error(`process ${root} has ended`);
  const time = { node: 0, postgres: 0 };
  for (const [pid, { name, seconds }] of all) {
    if (descends(pid, roots, all)) time[name === 'postgres' ? 'postgres' : 'node'] += seconds;
  }
  return time;
}

/** Null where the process has ended meanwhile: its parent has its time from then on. */
function statOf(pid: string): ProcessStat | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

function descends(pid: number, roots: readonly number[], all: ReadonlyMap<number, ProcessStat>): boolean {
  for (
    let current: number | undefined = pid;
    current !== undefined && current !== 0;
    current = all.get(current)?.parent
  ) {
    if (roots.includes(current)) return true;
  }
  return false;
}
