import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programRoot } from '#embedded-postgres/program-root.js';

/** Where what folds events into rows is built to. */
const BUILT = ['dist', 'libs'];

/**
 * A hash over the built program, apart from its edge: two processes with the same one fold events in the same way. Reading
 * it takes some ten milliseconds.
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
