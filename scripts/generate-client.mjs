/** Writes the types of libs/client from docs/reference/openapi.json, unless they are newer than it. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = join(root, 'docs', 'reference', 'openapi.json');
const target = join(root, 'libs', 'client', 'generated', 'schema.ts');

if (!existsSync(target) || statSync(target).mtimeMs < statSync(document).mtimeMs) {
  const { default: generate, astToString } = await import('openapi-typescript');
  const types = astToString(await generate(JSON.parse(readFileSync(document, 'utf8'))));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `/** Written by scripts/generate-client.mjs from docs/reference/openapi.json. */\n\n${types}`);
}
