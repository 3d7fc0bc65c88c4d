import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { notesOf, rehearsable, released } from '../../scripts/release/changelog.mjs';

const ROOT = resolve(__dirname, '..', '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const CHANGELOG = '# Changelog\n\n## Unreleased\nNew.\n\n### Added\n- One.\n\n## 1.0.0 - 2026-01-02\nOld.\n';

describe('the changelog of a release', () => {
  it('moves what is unreleased to the version, and keeps the rest', () => {
    const text = released(CHANGELOG, '1.1.0', '2026-03-04');
    expect(text).toBe(CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 1.1.0 - 2026-03-04\n'));
    expect(notesOf(text, '1.1.0')).toBe('New.\n\n### Added\n- One.');
    expect(notesOf(text, '1.0.0')).toBe('Old.');
  });

  it('is refused where nothing is unreleased', () => {
    const text = released(CHANGELOG, '1.1.0', '2026-03-04');
    expect(() => released(text, '1.2.0', '2026-03-05')).toThrow('There is nothing to release');
  });

  it('is rehearsed right after a release too', () => {
    const text = released(CHANGELOG, '1.1.0', '2026-03-04');
    expect(notesOf(released(rehearsable(text), '1.2.0', '2026-03-05'), '1.2.0')).toBe('A rehearsal.');
    expect(rehearsable(CHANGELOG)).toBe(CHANGELOG);
  });
});

it('every package of the project has the version of package.json', () => {
  const { version, workspaces } = JSON.parse(read('package.json')) as { version: string; workspaces: string[] };
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version: string }> };
  for (const folder of workspaces) {
    expect(JSON.parse(read(`${folder}/package.json`))).toMatchObject({ version });
    expect(lock.packages[folder]!.version).toBe(version);
  }
  expect(lock.packages['']!.version).toBe(version);
  expect(read('libs/client-python/pyproject.toml')).toContain(`\nversion = "${version}"\n`);
});
