const UNRELEASED = '## Unreleased\n';

/**
 * The changelog with its unreleased part as a version, and an empty unreleased part. Throws if that is
 * empty.
 */
export function released(changelog, version, date) {
  const start = changelog.indexOf(UNRELEASED);
  if (start === -1) throw new Error('CHANGELOG.md has no part "## Unreleased".');
  const after = changelog.slice(start + UNRELEASED.length);
  if (sectionOf(after) === '')
    throw new Error('There is nothing to release: CHANGELOG.md has no entry under "## Unreleased".');
  return `${changelog.slice(0, start)}${UNRELEASED}\n## ${version} - ${date}\n${after}`;
}

/** The changelog with an entry in its unreleased part, which is empty right after a release. */
export function rehearsable(changelog) {
  const after = changelog.slice(changelog.indexOf(UNRELEASED) + UNRELEASED.length);
  return sectionOf(after) === '' ? changelog.replace(UNRELEASED, `${UNRELEASED}A rehearsal.\n`) : changelog;
}

/** The notes of a version: its part without the heading. */
export function notesOf(changelog, version) {
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} - .*\n`, 'm').exec(changelog);
  return heading === null ? '' : sectionOf(changelog.slice(heading.index + heading[0].length));
}

function sectionOf(text) {
  const end = text.search(/^## /m);
  return (end === -1 ? text : text.slice(0, end)).trim();
}
