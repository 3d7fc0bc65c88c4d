import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MetricObject } from 'prom-client';
import { measuredMetrics } from '../support/measured-metrics.js';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

const dashboard = JSON.parse(
  readFileSync(resolve(__dirname, '..', '..', 'deploy', 'grafana-dashboard.json'), 'utf8'),
) as Dashboard;
const charts = dashboard.panels.filter(({ type }) => type !== 'row');
const queries = charts.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);
/** Labels that Prometheus itself adds, or that types of metrics have. */
const ADDED_LABELS = new Set(['job', 'instance', 'le', 'quantile']);
const NAME = /\b(?:workforce|nodejs|process)_\w+/g;

let metrics: ReadonlyMap<string, MetricObject>;

beforeAll(async () => {
  metrics = new Map((await measuredMetrics()).map((metric) => [metric.name, metric]));
});

/** The metric that a name of a query is of: histograms are asked for by their parts. */
function metricOf(name: string): MetricObject | undefined {
  return metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
}

it.each(queries)(
  '“$title” asks for metrics that are measured, by labels that they have: $expr',
  ({ expr, legendFormat }) => {
    const names = [...expr.matchAll(NAME)].map(([name]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => metricOf(name) === undefined)).toEqual([]);
    const labels = new Set([
      ...ADDED_LABELS,
      ...names.flatMap((name) => (metricOf(name) as unknown as { labelNames?: readonly string[] }).labelNames ?? []),
    ]);
    const used = [
      ...[...expr.matchAll(/[{,](\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!),
      ...[...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list]) => list!.split(/, */)),
      ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
    ];
    expect(used.filter((label) => !labels.has(label))).toEqual([]);
    const variables = [...expr.matchAll(/\$(\w+)/g)].map(([, variable]) => variable!);
    const known = new Set(['__rate_interval', ...dashboard.templating.list.map(({ name }) => name)]);
    expect(variables.filter((variable) => !known.has(variable))).toEqual([]);
  },
);

it('charts every metric of the program', () => {
  const charted = new Set(
    queries.flatMap(({ expr }) => [...expr.matchAll(NAME)].map(([name]) => metricOf(name)?.name)),
  );
  expect([...metrics.keys()].filter((name) => name.startsWith('workforce_') && !charted.has(name))).toEqual([]);
});
