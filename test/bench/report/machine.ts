import { statfsSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

/** The number of a file system in memory (`TMPFS_MAGIC`). */
const MEMORY_FILE_SYSTEM = 0x01021994;
/** Share of the processors that others may keep busy on a machine that counts as quiet. */
const QUIET = 0.25;

/** The machine, in a sentence. */
export function machine(postgresVersion: string): string {
  const processors = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, ${gigabytes} GB of memory, ${process.platform} ${process.arch}, Node ${process.versions.node}, PostgreSQL ${postgresVersion} (fsync on)`;
}

/** Where the data are: a commit into memory waits for no disk. */
export function disk(directory: string): string {
  return statfsSync(directory).type === MEMORY_FILE_SYSTEM
    ? 'The data were in a file system in memory: no commit waited for a disk.'
    : 'The data were on the disk.';
}

/** How busy others kept the machine, from what it was before the first measurement: absolute figures go by it. */
export function business(): string {
  const [minute = 0] = loadavg();
  return minute < QUIET * cpus().length
    ? `The machine was quiet: others kept ${minute.toFixed(1)} threads running when the run began.`
    : `The machine was not quiet: others kept ${minute.toFixed(1)} threads running when the run began. Rates are too low, and ratios wider apart than they need be; processor time suffers less.`;
}
