/**
 * Generates libs/client/generated from dist/openapi.json, unless it is newer: the types of the API, and the
 * methods by resource with the names of models.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resourcesText } from './client/resources-text.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = join(root, 'dist', 'openapi.json');
const manifest = join(root, 'libs', 'client', 'package.json');
const target = join(root, 'libs', 'client', 'generated', 'resources.ts');
const sources = [
  document,
  manifest,
  fileURLToPath(import.meta.url),
  fileURLToPath(new URL('client/resources-text.mjs', import.meta.url)),
  fileURLToPath(new URL('client/methods.mjs', import.meta.url)),
];

if (!existsSync(document)) {
  console.error('dist/openapi.json does not exist: run "npm run build".');
  process.exit(1);
}
if (!existsSync(target) || sources.some((source) => statSync(source).mtimeMs > statSync(target).mtimeMs)) {
  const { default: generate, astToString } = await import('openapi-typescript');
  const api = JSON.parse(readFileSync(document, 'utf8'));
  // The client generates a key by default.
  for (const operation of Object.values(api.paths).flatMap((path) => Object.values(path)))
    for (const parameter of operation.parameters ?? [])
      if (parameter.name === 'Idempotency-Key') parameter.required = false;
  const types = astToString(await generate(api));
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const heading = '/** Written by scripts/generate-client.mjs from the OpenAPI document. */\n\n';
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(join(dirname(target), 'schema.ts'), heading + types);
  writeFileSync(target, heading + resourcesText(api, version));
}
