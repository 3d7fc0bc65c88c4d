/**
 * Writes into libs/client-python/workforce_hr/generated what follows from dist/openapi.json, unless it is
 * newer: the models of the API as TypedDicts, and the methods by resource.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelsText, resourcesText } from './client/python-text.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = join(root, 'dist', 'openapi.json');
const manifest = join(root, 'libs', 'client-python', 'pyproject.toml');
const folder = join(root, 'libs', 'client-python', 'workforce_hr', 'generated');
const target = join(folder, 'resources.py');
const sources = [
  document,
  manifest,
  ...['generate-python-client.mjs', 'client/python-text.mjs', 'client/methods.mjs'].map((name) =>
    fileURLToPath(new URL(name, import.meta.url)),
  ),
];

if (!existsSync(target) || sources.some((source) => statSync(source).mtimeMs > statSync(target).mtimeMs)) {
  const api = JSON.parse(readFileSync(document, 'utf8'));
  const version = /^version = "(.+)"$/m.exec(readFileSync(manifest, 'utf8'))[1];
  const heading = '# Written by scripts/generate-python-client.mjs from the OpenAPI document.\n';
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '__init__.py'), heading);
  writeFileSync(join(folder, 'models.py'), heading + modelsText(api));
  writeFileSync(target, heading + resourcesText(api, version));
}
