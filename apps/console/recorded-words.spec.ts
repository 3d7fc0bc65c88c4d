import { readFileSync } from 'node:fs';
import { PRESENCE_NAMES, type Presence, readinessIssues } from '#payroll/export/payroll-readiness.rules.js';
import common from './src/messages/en.json';
import english from './src/screens/audit/messages/en.json';
import payroll from './src/screens/payroll/messages/en.json';

const SNAPSHOT = 'test/contract/__snapshots__/stored-shapes.int.spec.ts.snap';
const [, SHAPES] = readFileSync(SNAPSHOT, 'utf8').split(/^exports\[.*$/m);
/** Fields with columns of their own in the audit, and encrypted fields, which it shows by other names. */
const ELSEWHERE = /^(correction_reason|corrects|reverses|time_off_id|adjustment_id|sealed.*)$/;
/** Groups of fields that the audit shows without the name of the group. */
const WRAPPERS = /^(changes|profile|terms|entry|values)$/;

/** The names in the shapes of events, without those in lists, which are shown whole. */
function fieldsOf(shapes: string): ReadonlySet<string> {
  const withoutLists = shapes.replace(/list of \((?:[^()]|\([^()]*\))*\)/g, 'list');
  return new Set([...withoutLists.matchAll(/(\w+)\??:\s/g)].map(([, name]) => name!));
}

it('the audit has a sentence and a name for each type of event that an aggregate records', () => {
  const types = [...SHAPES!.matchAll(/^([A-Z][A-Za-z]+) \{/gm)].map(([, type]) => type!);
  expect(types.length).toBeGreaterThan(80);
  expect(types.filter((type) => !(type in english.sentences && type in english.events))).toEqual([]);
});

it('the audit has a name for each field that an event records', () => {
  const fields = [...fieldsOf(SHAPES!)].filter((name) => !ELSEWHERE.test(name) && !WRAPPERS.test(name));
  expect(fields.length).toBeGreaterThan(100);
  const names = { ...common.terms, ...english.fields };
  expect(fields.filter((name) => !(name in names) && !(name.replace(/_id$/, '') in names))).toEqual([]);
});

it('payroll has the words of every issue of readiness', () => {
  const none = Object.fromEntries(PRESENCE_NAMES.map((name) => [name, false])) as Presence;
  const all = Object.fromEntries(PRESENCE_NAMES.map((name) => [name, true])) as Presence;
  const issues = [none, all].flatMap((presence) =>
    readinessIssues({ presence, sharesStaffId: true, exceedsFullTime: true, missingCustomFields: ['{{keys}}'] }),
  );
  const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = payroll.issueTexts;
  for (const { field, severity, issue } of issues) expect(texts[field]?.[severity]).toBe(issue);
});
