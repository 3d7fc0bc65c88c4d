import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MANIFESTS = ['package.json', 'apps/cli/bin/package.json', 'libs/client/package.json'];

/** The files with a version besides the manifests, and the pattern before it. */
const OTHERS = [
  { file: 'libs/client-python/pyproject.toml', before: /^version = "/m },
  { file: 'docker-compose.yml', before: /^ {2}image: workforce-hr:/m },
  { file: 'deploy/helm/Chart.yaml', before: /^version: /m },
  { file: 'deploy/helm/Chart.yaml', before: /^appVersion: '/m },
];

/** The version of package.json, from which all others follow. */
export function currentVersion(root) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** Sets the version everywhere, and keeps every other character. Throws if a place is not as expected. */
export function setVersion(root, version) {
  const former = currentVersion(root);
  for (const file of MANIFESTS) replace(root, file, /^ {2}"version": "/m, former, version);
  for (const { file, before } of OTHERS) replace(root, file, before, former, version);
  const lockfile = join(root, 'package-lock.json');
  const lock = JSON.parse(readFileSync(lockfile, 'utf8'));
  lock.version = version;
  for (const folder of MANIFESTS.map((file) => file.replace(/\/?package\.json$/, '')))
    lock.packages[folder].version = version;
  writeFileSync(lockfile, `${JSON.stringify(lock, null, 2)}\n`);
}

function replace(root, file, before, former, version) {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const found = before.exec(text);
  const start = found === null ? -1 : found.index + found[0].length;
  if (start === -1 || !text.startsWith(former, start)) throw new Error(`${file} does not have version ${former}.`);
  writeFileSync(path, text.slice(0, start) + version + text.slice(start + former.length));
}
