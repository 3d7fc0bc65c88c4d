import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGE_NAME = 'workforce-hr';

/**
 * The directory of this program's package.json: that above the running file, independent of the working
 * directory; the working directory if there is none.
 */
export function programRoot(): string {
  const script = process.argv[1];
  let directory = script === undefined || !existsSync(script) ? process.cwd() : dirname(realpathSync(script));
  for (;;) {
    if (isRoot(directory)) return directory;
    const parent = dirname(directory);
    if (parent === directory) return process.cwd();
    directory = parent;
  }
}

/** The version of this program, from its package.json. */
export function programVersion(): string {
  return readPackage(join(programRoot(), 'package.json')).version;
}

function isRoot(directory: string): boolean {
  const file = join(directory, 'package.json');
  return existsSync(file) && readPackage(file).name === PACKAGE_NAME;
}

function readPackage(file: string): { readonly name?: unknown; readonly version: string } {
  return JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: unknown; readonly version: string };
}
