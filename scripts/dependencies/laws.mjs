import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { licencePage, withoutRepeats } from './licence-page.mjs';
import { isAllowed, REASONED_LICENCES } from './licence-rules.mjs';
import { readLockfile, readPackages } from './lockfile.mjs';

const LICENCES = 'docs/reference/generated/licences.md';
const EXPLANATIONS = 'docs/reference/dependencies.md';

/**
 * The problems of a project's dependencies, a sentence each; empty if there are none. It reads the lockfile,
 * `package.json` and two pages of the documentation, and no installed package.
 * @param {string} root the project's directory
 * @returns {readonly string[]}
 */
export function problemsOfDependencies(root) {
  const packages = readPackages(root);
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const page = (name) => readFileSync(join(root, name), 'utf8');
  return [
    ...refusedNodeVersions(packages, project.engines.node, readLockfile(root).packages[''].engines?.node),
    ...packages
      .filter(({ address }) => address !== null)
      .map(({ place }) => `package-lock.json records where ${place} was downloaded from: .npmrc forbids it.`),
    ...licenceProblems(packages),
    ...(page(LICENCES) === licencePage(packages)
      ? []
      : [`${LICENCES} is not current: run "node scripts/write-licences.mjs".`]),
    ...unexplained(packages, page(EXPLANATIONS)),
    ...floatingPreReleases(project),
  ];
}

/**
 * A package that refuses a version of Node.js that the project accepts prints warnings on every installation
 * with that version.
 */
function refusedNodeVersions(packages, range, locked) {
  const refusing = packages.filter(({ engines }) => engines !== null && !semver.subset(range, engines));
  return [
    ...(range === locked
      ? []
      : [
          `package-lock.json says that the project needs Node.js ${locked}, package.json says ${range}: run "npm ` +
            'install".',
        ]),
    ...refusing.map(
      ({ place, version, engines }) =>
        `${place} ${version} needs Node.js ${engines}, the project accepts ${range}: pin an earlier version.`,
    ),
  ];
}

function licenceProblems(packages) {
  const listed = withoutRepeats(packages);
  const unknown = listed.filter(({ licence }) => licence === null);
  const refused = listed.filter((entry) => entry.isOfProduction && entry.licence !== null && !isAllowed(entry));
  const unused = REASONED_LICENCES.filter(
    ({ name, licence }) => !listed.some((entry) => entry.name === name && entry.licence?.includes(licence)),
  );
  return [
    ...unknown.map(({ name, version }) => `${name} ${version} declares no licence.`),
    ...refused.map(
      ({ name, version, licence }) =>
        `${name} ${version} is in production under ${licence}, which scripts/dependencies/licence-rules.mjs does not ` +
        'allow.',
    ),
    ...unused.map(
      ({ name, licence }) =>
        `scripts/dependencies/licence-rules.mjs has a reason for ${name} under ${licence}, which is not in the ` +
        'lockfile.',
    ),
  ];
}

/** Rows of the page name a package, or all of a scope with `*`, and the version. */
function unexplained(packages, page) {
  const section = page.split(/^## /m).find((part) => part.startsWith('Pre-releases')) ?? '';
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (\S+) \|/gm)].map(([, name, version]) => ({ name, version }));
  const explains = (row, entry) =>
    row.version === entry.version &&
    (row.name.endsWith('/*') ? entry.name.startsWith(row.name.slice(0, -1)) : entry.name === row.name);
  const odd = withoutRepeats(packages).filter(
    ({ version, deprecated }) => semver.prerelease(version) !== null || deprecated !== null,
  );
  return [
    ...odd
      .filter((entry) => !rows.some((row) => explains(row, entry)))
      .map(
        ({ name, version, deprecated }) =>
          `${name} ${version} is ${deprecated === null ? 'a pre-release' : 'deprecated'}, and ${EXPLANATIONS} does ` +
          'not explain why it is used.',
      ),
    ...rows
      .filter((row) => !odd.some((entry) => explains(row, entry)))
      .map(
        ({ name, version }) =>
          `${EXPLANATIONS} explains ${name} ${version}, which is not a pre-release in the lockfile.`,
      ),
  ];
}

/** Ranges of pre-releases: they accept the next pre-release, which may be incompatible. */
function floatingPreReleases({ dependencies = {}, devDependencies = {} }) {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, range]) => semver.valid(range) === null && semver.prerelease(semver.minVersion(range)) !== null)
    .map(([name, range]) => `package.json takes any of ${range} for ${name}: pin one version of a pre-release.`);
}
