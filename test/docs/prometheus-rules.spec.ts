import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import GithubSlugger from 'github-slugger';
import { parse } from 'yaml';
import { measuredMetrics } from '../support/measured-metrics.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

const ROOT = resolve(__dirname, '..', '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const { groups } = parse(read('deploy/prometheus-rules.yml')) as { readonly groups: readonly { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** What an expression names, by the kind of node of its tree. */
function named(expr: string, ...kinds: readonly string[]): readonly string[] {
  const found: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ name, from, to }) => {
      if (name === '⚠') throw new Error(`“${expr}” is not PromQL, at ${from}.`);
      if (kinds.includes(name)) found.push(expr.slice(from, to));
    },
  });
  return found;
}

const baseOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

it.each(rules)('$alert asks for metrics that are measured, by labels that they have', async ({ expr, annotations }) => {
  const metrics = new Map((await measuredMetrics()).map((metric) => [metric.name, metric]));
  const names = named(expr, 'Identifier').filter((name) => name.startsWith('workforce_'));
  expect(names.length).toBeGreaterThan(0);
  const asked = names.map((name) => metrics.get(name) ?? metrics.get(baseOf(name)));
  expect(names.filter((_, index) => asked[index] === undefined)).toEqual([]);
  const labels = new Set([
    'le',
    'quantile',
    'instance',
    ...asked.flatMap((metric) => (metric as unknown as { labelNames?: readonly string[] }).labelNames ?? []),
  ]);
  const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
  expect([...named(expr, 'LabelName'), ...shown].filter((label) => !labels.has(label))).toEqual([]);
});

it('has a rule for each alarm that the page of metrics names, and for no other metric', () => {
  const rows = [...read('docs/reference/metrics.md').matchAll(/^\| `(workforce_\w+)` \|.*\| *([^|]*?) *\|$/gm)];
  const alarms = rows.filter(([, , alarm]) => alarm !== '' && !alarm!.startsWith('none:')).map(([, name]) => name!);
  const asked = rules.flatMap(({ expr }) => named(expr, 'Identifier')).filter((name) => name.startsWith('workforce_'));
  expect([...new Set(asked.map(baseOf))].sort()).toEqual([...new Set(alarms)].sort());
});

it('links each rule to a section of the page of alarms, which has no other', () => {
  const headings = [...read('docs/how-to/alarms.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!);
  expect(rules.map(({ alert }) => alert)).toEqual(headings);
  const slugger = new GithubSlugger();
  expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
    headings.map((heading) => `https://hr.example.com/docs/how-to/alarms#${slugger.slug(heading)}`),
  );
  for (const { labels } of rules) expect(['critical', 'warning', 'info']).toContain(labels.severity);
});
