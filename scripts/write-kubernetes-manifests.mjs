/**
 * `node scripts/write-kubernetes-manifests.mjs`: writes deploy/kubernetes from the Helm chart with its
 * default values, one file a template, for `kubectl apply` without Helm. The chart uses only functions of
 * Go's own templates, so that Go's engine alone renders it.
 *
 * With `--print [VALUES]` it writes nothing and prints the objects as one JSON document, by template; VALUES
 * is JSON that is merged into the default values.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as render } from '@evertdespiegeleer/go-template';
import { parse, parseAllDocuments, stringify } from 'yaml';

const root = join(import.meta.dirname, '..');
const chart = join(root, 'deploy', 'helm');
const target = join(root, 'deploy', 'kubernetes');
const [mode, given = '{}'] = process.argv.slice(2);

const objects = await renderChart(JSON.parse(given));
if (mode === '--print') console.log(JSON.stringify(objects));
else await write(objects);

/** The objects of each template that has any. */
async function renderChart(given) {
  const { version, appVersion, name } = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8'));
  const data = {
    Values: merged(parse(await readFile(join(chart, 'values.yaml'), 'utf8')), given),
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Release: { Name: 'workforce', Namespace: 'default', Service: 'kubectl' },
  };
  const templates = join(chart, 'templates');
  const parts = await readFile(join(templates, '_parts.tpl'), 'utf8');
  const found = {};
  for (const file of (await readdir(templates)).filter((name) => name.endsWith('.yaml')).sort()) {
    const text = await render(parts + (await readFile(join(templates, file), 'utf8')), data);
    const documents = parseAllDocuments(text);
    const errors = documents.flatMap((document) => document.errors);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    const own = documents.map((document) => document.toJS()).filter((object) => object !== null);
    if (own.length > 0) found[file] = own.map(withoutHelm);
  }
  return found;
}

async function write(objects) {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const note = '# Written by scripts/write-kubernetes-manifests.mjs from deploy/helm: change the chart instead.\n';
  for (const [file, own] of Object.entries(objects))
    await writeFile(
      join(target, file),
      note + own.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n'),
    );
}

function merged(values, given) {
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(given).map(([key, value]) => [
    key,
    isObject(value) && isObject(values[key]) ? merged(values[key], value) : value,
  ]);
  return { ...values, ...Object.fromEntries(entries) };
}

/** Removes annotations of Helm, which Kubernetes does not use. */
function withoutHelm(object) {
  const { annotations = {}, ...metadata } = object.metadata;
  const others = Object.entries(annotations).filter(([name]) => !name.startsWith('helm.sh/'));
  if (others.length > 0) metadata.annotations = Object.fromEntries(others);
  return { ...object, metadata };
}
