import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LANGUAGES } from './src/data/locale.js';

const SOURCE = 'apps/console/src';
const PLURAL = /_(zero|one|two|few|many|other)$/;

/** The texts of a catalogue by key, with the keys of groups as `group.key`. */
function textsOf(catalogue: object, prefix = ''): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(catalogue).flatMap(([key, value]): (readonly [string, string])[] =>
      typeof value === 'string' ? [[prefix + key, value]] : [...textsOf(value as object, `${prefix}${key}.`)],
    ),
  );
}

/** The placeholders of each key, once for all its plural forms. */
function placeholdersOf(texts: ReadonlyMap<string, string>): Readonly<Record<string, readonly string[]>> {
  const placeholders: Record<string, string[]> = {};
  for (const [key, text] of texts) {
    const names = [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}|<\/?(\w+)\s*\/?>/g)].map(([, name, tag]) => name ?? tag!);
    const known = (placeholders[key.replace(PLURAL, '')] ??= []);
    known.push(...names.filter((name) => !known.includes(name)));
  }
  return Object.fromEntries(Object.entries(placeholders).map(([key, names]) => [key, names.sort()]));
}

const folders = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
  (path) => basename(path) === 'messages',
);
const read = (folder: string, language: string) =>
  textsOf(JSON.parse(readFileSync(join(SOURCE, folder, `${language}.json`), 'utf8')) as object);

it('no two folders of catalogues share a namespace', () => {
  const names = folders.map((folder) => basename(dirname(folder)));
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(folders)('the catalogues in %s', (folder) => {
  const english = read(folder, 'en');

  it.each(Object.keys(LANGUAGES))('%s has every text, with every plural form and placeholder', (language) => {
    const texts = read(folder, language);
    expect(placeholdersOf(texts)).toEqual(placeholdersOf(english));
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const plurals = new Set(
      [...english.keys()].filter((key) => PLURAL.test(key)).map((key) => key.replace(PLURAL, '')),
    );
    const missing = [...plurals].flatMap((key) =>
      pluralCategories.map((category) => `${key}_${category}`).filter((form) => !texts.has(form)),
    );
    expect(missing).toEqual([]);
    expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]);
  });
});
