import { compareTexts } from './lockfile.mjs';
import { ALLOWED_LICENCES, REASONED_LICENCES } from './licence-rules.mjs';

/**
 * The text of `docs/reference/generated/licences.md`.
 * @param {readonly import('./lockfile.mjs').LockedPackage[]} packages
 */
export function licencePage(packages) {
  const listed = withoutRepeats(packages);
  const production = listed.filter(({ isOfProduction }) => isOfProduction);
  const development = listed.filter(({ isOfProduction }) => !isOfProduction);
  return [
    '# Licences',
    '',
    'The program is licensed under Apache-2.0 (`LICENSE`). This page lists the licence of every package in ' +
      '`package-lock.json`, as the package declares',
    'it there. A build for one platform has the licence of the package that it is a build of. `node ' +
      'scripts/write-licences.mjs` writes this page from the',
    'lockfile alone, so it is the same on every platform, and `npm test` compares it.',
    '',
    'Packages in production are installed by `npm ci --omit=dev`. Optional ones are builds for single platforms, and ' +
      'the binaries of PostgreSQL; the',
    'image leaves them out. Development packages build and test the program and are in no installation of production.',
    '',
    '## Rules',
    '',
    `A package in production may have one of these licences: ${ALLOWED_LICENCES.join(', ')}. Each of the others has ` +
      'a reason:',
    '',
    '| Package | Licence | Reason |',
    '|---|---|---|',
    ...REASONED_LICENCES.map(({ name, licence, reason }) => `| \`${name}\` | ${licence} | ${reason} |`),
    '',
    '`npm test` fails for a package in production with any other licence, or with none. What packages contain of ' +
      'others, under licences of their own, is',
    'in [dependencies](../dependencies.md#what-packages-contain).',
    '',
    '## Summary',
    '',
    '| Licence | Production | Development |',
    '|---|---:|---:|',
    ...summary(production, development),
    '',
    `## Production (${production.length})`,
    '',
    ...table(production),
    '',
    `## Development (${development.length})`,
    '',
    ...table(development),
    '',
  ].join('\n');
}

/** Each version of a package once; in production if one of its copies is. */
export function withoutRepeats(packages) {
  const listed = new Map();
  for (const entry of packages) {
    const key = `${entry.name}@${entry.version}`;
    const known = listed.get(key);
    listed.set(key, {
      ...entry,
      isOfProduction: entry.isOfProduction || known?.isOfProduction === true,
      isOptional: entry.isOptional && known?.isOptional !== false,
    });
  }
  return [...listed.values()].sort(
    (one, other) => compareTexts(one.name, other.name) || compareTexts(one.version, other.version),
  );
}

function summary(production, development) {
  const licences = [...new Set([...production, ...development].map(({ licence }) => licence))].sort(compareTexts);
  const count = (packages, licence) => packages.filter((entry) => entry.licence === licence).length;
  return licences.map((licence) => `| ${licence} | ${count(production, licence)} | ${count(development, licence)} |`);
}

function table(packages) {
  return [
    '| Package | Version | Licence | Optional |',
    '|---|---|---|---|',
    ...packages.map(
      ({ name, version, licence, isOptional }) =>
        `| \`${name}\` | ${version} | ${licence} | ${isOptional ? 'yes' : ''} |`,
    ),
  ];
}
