/**
 * Generates libs/client-python/workforce_hr/generated from dist/openapi.json: the models of the API as
 * TypedDicts, and the methods by resource.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelsText, resourcesText } from './client/python-text.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = join(root, 'dist', 'openapi.json');
const manifest = join(root, 'libs', 'client-python', 'pyproject.toml');
const folder = join(root, 'libs', 'client-python', 'workforce_hr', 'generated');
const api = JSON.parse(readFileSync(document, 'utf8'));
const version = /^version = "(.+)"$/m.exec(readFileSync(manifest, 'utf8'))[1];
const heading = '# Written by scripts/generate-python-client.mjs from the OpenAPI document.\n';
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, '__init__.py'), heading);
writeFileSync(join(folder, 'models.py'), heading + modelsText(api));
writeFileSync(join(folder, 'resources.py'), heading + resourcesText(api, version));
