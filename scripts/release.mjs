/**
 * `npm run release -- VERSION`: sets the version, closes the unreleased part of the changelog, writes what
 * follows from the version, packs the client, writes the SBOM and the notes, builds the image, and commits
 * and tags the result. The files are in dist/release. Nothing is pushed or published.
 *
 * `npm run release -- --dry-run [VERSION]` does the same to HEAD in a temporary clone, without the image;
 * VERSION is the next minor one by default.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import semver from 'semver';
import { notesOf, rehearsable, released } from './release/changelog.mjs';
import { currentVersion, setVersion } from './release/version.mjs';

const root = join(import.meta.dirname, '..');
const isDry = process.argv.includes('--dry-run');
const [given] = process.argv.slice(2).filter((parameter) => !parameter.startsWith('--'));

try {
  if (isDry) rehearse();
  else release(root, given);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Releases a clone, which is deleted afterwards. */
function rehearse() {
  const directory = mkdtempSync(join(tmpdir(), 'workforce-release-'));
  try {
    // A test machine may have no identity, and a dry run needs no signature.
    const settings = [
      'user.name=Rehearsal',
      'user.email=rehearsal@workforce.example',
      'commit.gpgSign=false',
      'tag.gpgSign=false',
    ];
    run(root, 'git', 'clone', '--quiet', '--no-tags', ...settings.flatMap((one) => ['--config', one]), root, directory);
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, '.git', 'info', 'exclude'), 'node_modules\n');
    const changelog = join(directory, 'CHANGELOG.md');
    writeFileSync(changelog, rehearsable(readFileSync(changelog, 'utf8')));
    run(directory, 'git', 'commit', '--quiet', '--all', '--allow-empty', '--message', 'Have something to release');
    release(directory, given ?? semver.inc(currentVersion(directory), 'minor'));
    console.log('This was a dry run: its results are deleted.');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function release(directory, version) {
  const tag = `v${version}`;
  check(directory, version, tag);
  setVersion(directory, version);
  const changelog = join(directory, 'CHANGELOG.md');
  writeFileSync(changelog, released(readFileSync(changelog, 'utf8'), version, new Date().toISOString().slice(0, 10)));
  console.log(`Set version ${version}.`);
  run(directory, process.execPath, 'scripts/write-kubernetes-manifests.mjs');
  run(directory, process.execPath, 'scripts/build.mjs', '--program');
  const target = join(directory, 'dist', 'release');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  run(directory, 'npm', 'pack', '--silent', '--workspace', 'libs/client', '--pack-destination', target);
  run(directory, process.execPath, 'scripts/sbom.mjs', join(target, `workforce-hr-${version}.cdx.json`));
  writeFileSync(join(target, 'notes.md'), `${notesOf(readFileSync(changelog, 'utf8'), version)}\n`);
  console.log(`Wrote to dist/release: ${readdirSync(target).sort().join(', ')}.`);
  buildImage(directory, version);
  run(directory, 'git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
  run(directory, 'git', 'tag', '--annotate', tag, '--message', `Version ${version}`);
  const changed = run(directory, 'git', 'diff', '--name-only', 'HEAD~1').trim().split('\n');
  console.log(`Committed and tagged ${tag}: ${changed.join(', ')}.`);
  console.log(
    `To publish: git push --follow-tags; npm publish dist/release/*.tgz; docker push workforce-hr:${version}.`,
  );
}

/** Throws an error with a sentence if the release cannot begin. */
function check(directory, version, tag) {
  if (semver.valid(version) !== version) throw new Error('Name the version: npm run release -- 1.2.3.');
  const former = currentVersion(directory);
  if (!semver.gt(version, former)) throw new Error(`Version ${version} is not above ${former}.`);
  if (run(directory, 'git', 'status', '--porcelain').trim() !== '')
    throw new Error('The working tree has changes: commit them first.');
  if (run(directory, 'git', 'tag', '--list', tag).trim() !== '') throw new Error(`The tag ${tag} exists.`);
  if (!existsSync(join(directory, 'node_modules'))) throw new Error('Run "npm ci" first.');
}

function buildImage(directory, version) {
  const command = ['docker', 'build', '--tag', `workforce-hr:${version}`, '.'];
  const hasEngine = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
  if (hasEngine && !isDry) run(directory, ...command);
  const reason = isDry ? 'A dry run builds no image' : 'No container engine answers';
  console.log(hasEngine && !isDry ? `Built workforce-hr:${version}.` : `${reason}; this would: ${command.join(' ')}`);
}

/** The output of a program; throws with its messages if it fails. */
function run(directory, program, ...parameters) {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { cwd: directory, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`"${[program, ...parameters].join(' ')}" failed.\n${error?.message ?? stderr}`);
}
