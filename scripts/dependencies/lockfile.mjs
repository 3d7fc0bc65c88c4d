import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A package of the lockfile, at one place of the tree.
 * @typedef {object} LockedPackage
 * @property {string} place where it is installed: `node_modules/pg`
 * @property {string} name
 * @property {string} version
 * @property {string | null} licence an SPDX expression; null if neither the lockfile nor the package that it
 *   is a build of has one
 * @property {boolean} isOfProduction whether it is installed without development dependencies
 * @property {boolean} isOptional whether an installation may lack it, as on another platform
 * @property {string | null} integrity the digest of its archive, as npm writes it
 * @property {string | null} engines the versions of Node.js that it accepts
 * @property {string | null} address the URL of its download; null if npm uses the machine's registry
 * @property {string | null} deprecated the reason for which its maintainers deprecated it
 * @property {readonly string[]} needs the names of its dependencies
 */

/**
 * Reads the packages of a project's `package-lock.json`, in the order of their places. It reads nothing else,
 * so that the result is the same on every platform. The project itself and its workspaces are not among them.
 * @param {string} root the project's directory
 * @returns {readonly LockedPackage[]}
 */
export function readPackages(root) {
  const { packages } = readLockfile(root);
  return Object.entries(packages)
    .filter(([place, entry]) => place.includes('node_modules/') && entry.link !== true)
    .map(([place, entry]) => ({
      place,
      name: nameAt(place),
      version: entry.version,
      licence: entry.license ?? licenceOfOwner(place, packages),
      isOfProduction: entry.dev !== true,
      isOptional: entry.optional === true || entry.devOptional === true,
      integrity: entry.integrity ?? null,
      engines: entry.engines?.node ?? null,
      address: entry.resolved ?? null,
      deprecated: entry.deprecated ?? null,
      needs: namesOfNeeds(entry),
    }));
}

/**
 * Reads the whole lockfile of a project. Throws if it is not of version 3, which npm 7 and later write.
 */
export function readLockfile(root) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  if (lock.lockfileVersion !== 3) throw new Error(`package-lock.json has version ${lock.lockfileVersion}, not 3.`);
  return lock;
}

/** Compares texts by code units: the same order on every machine, whatever its language. */
export function compareTexts(one, other) {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * The place of the package that a package (the project: `''`) gets when it imports a name; null if none is
 * installed.
 */
export function placeOfNeed(place, name, places) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (places.has(candidate)) return candidate;
    if (folder === '') return null;
  }
}

/** The names of the run-time dependencies of a package of the lockfile, or of the project. */
export function namesOfNeeds({ dependencies = {}, optionalDependencies = {}, peerDependencies = {} }) {
  return [
    ...new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...Object.keys(peerDependencies)]),
  ].sort(compareTexts);
}

function nameAt(place) {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/**
 * The licence of the package of which this one is a build for a platform. The lockfile lacks the licences of
 * packages that were not in the registry when it was written (`scripts/complete-lockfile.mjs`).
 */
function licenceOfOwner(place, packages) {
  const name = nameAt(place);
  const owner = Object.values(packages).find(
    ({ optionalDependencies = {} }) => optionalDependencies[name] !== undefined,
  );
  return owner?.license ?? null;
}
