import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programRoot } from '#embedded-postgres/program-root.js';

/** The folder of the built code that projects events. */
const BUILT = ['dist', 'libs'];

/**
 * Returns a hash over the built libraries. Two processes with the same hash project events in the same way. It takes some ten
 * milliseconds.
 */
export function programIdentity(): string {
  const hash = createHash('sha256');
  const root = join(programRoot(), ...BUILT);
  if (existsSync(root)) {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    for (const name of files.sort())
      hash
        .update(name)
        .update('\0')
        .update(readFileSync(join(root, name)))
        .update('\0');
  }
  return hash.digest('hex');
}
