import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..');

/** Turns of phrase that readers stumble over, with what to write instead. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bstands? on\b/, 'needs, uses, relies on'],
  [/\bha(?:s|ve) no sense\b/, 'is not valid'],
  [/\breckon(?:s|ed|ing)?\b/, 'calculate'],
  [/\bnobody['’]s\b/, 'belongs to no person; none'],
  [/\bwhoever is to\b/i, 'a person who is to; or say who does what'],
  [/\bwants a look\b/, 'needs attention'],
  [/\bbegins anew\b/, 'starts again'],
  [/\bwhich part may know which\b/, 'dependency directions'],
  [/\bgets by itself\b/, 'say who installs it'],
  [/\bverified is that\b/i, 'X verifies that'],
];

/** The same outside specs, whose titles other pages name. */
const PHRASES_OUTSIDE_SPECS: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, 'a caller who, a process that'],
  [/\bgoes by (?:the|what|its)\b/, 'uses, depends on'],
  [/\banew\b/, 'again; or rebuilt, recalculated'],
  [/\b(?:is|are|was|were|been) told\b/, 'is published, is notified, receives'],
  [/\blets? go of\b/i, 'releases'],
  [/\bunder way\b/, 'in progress, in flight'],
  [/\bhalf way\b/, 'unfinished, interrupted'],
  [/\brests? (?:sealed|as it is|as before)\b/, 'is encrypted, is stored'],
  [/\bgone on with\b/, 'resumed'],
  [/\bheld against\b/, 'compared with'],
  [/\bas it were\b/, 'like; or leave it out'],
  [/\bwhat is private\b/i, 'personal data'],
];

/** The same in pages alone, outside of code. */
const PHRASES_IN_PAGES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:no|some|every|any)body\b/i, 'no caller, a person, all people; or name the part'],
  [/\bthat which\b/i, 'name the thing'],
  [/^(?:[-*] |\d+\. )?What (?:was|is|are|were)\b/, 'begin with the thing'],
  [/(?:\. |\| )What (?:was|is|are|were)\b(?!.*\?)/, 'begin with the thing'],
  [/\b(?:is|are|was|were) away\b/, 'is unavailable'],
  [/\b(?:a|another|second) look\b(?!-)/, 'a read, a check, attention'],
  [/\b(?:takes?|taken|took) back\b/, 'withdraws, withdrawn'],
  [/\bno\b[^.|]* ever\b/i, 'never'],
  [/\bas long as there be\b/i, 'while'],
  [/\b(?:hinder\w*|thereof|wherein|whereof|therein)\b/i, 'prevents, of it'],
  [/\bof ours\b/i, 'of the service; an extension of the contract'],
];

function textsBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:md|ts|mjs)$/.test(name))
    .map((name) => join(folder, name));
}

it('pages, help, errors and comments use standard terms', () => {
  const files = ['README.md', 'SECURITY.md', ...['docs', 'libs', 'apps', 'scripts', 'deploy'].flatMap(textsBelow)];
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    const phrases = file.endsWith('.spec.ts') ? PHRASES : [...PHRASES, ...PHRASES_OUTSIDE_SPECS];
    return lines.flatMap((line, index) =>
      phrases
        .filter(([phrase]) => phrase.test(line))
        .map(([phrase, instead]) => `${file}:${index + 1}: ${String(phrase)}; write: ${instead}`),
    );
  });
  expect(found).toEqual([]);
});

it('pages have plain subjects and no archaisms', () => {
  const files = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...textsBelow('docs')].filter(
    (file) => file.endsWith('.md') && !file.includes('generated'),
  );
  const found = files.flatMap((file) =>
    withoutCode(readFileSync(join(ROOT, file), 'utf8'))
      .split('\n')
      .flatMap((line, index) =>
        PHRASES_IN_PAGES.filter(([phrase]) => phrase.test(line)).map(
          ([phrase, instead]) => `${file}:${index + 1}: ${String(phrase)}; write: ${instead}`,
        ),
      ),
  );
  expect(found).toEqual([]);
});

/** The words of the page itself, on the same lines: no code, and no descriptions that the program prints. */
function withoutCode(text: string): string {
  return text
    .replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/^\| `SBX-.*$/gm, '')
    .replace(/`[^`\n]*`/g, '');
}
