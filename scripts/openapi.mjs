import { readFile, writeFile } from 'node:fs/promises';
import 'reflect-metadata';
import { openApiText } from '../dist/apps/api/openapi-text.js';
import { withRoutes } from '../dist/apps/api/routes-text.js';

/** Run after `npm run build`: the document and the table of routes come from the very decorators that the API runs by. */
const reference = (name) => new URL(`../docs/reference/${name}`, import.meta.url);
await writeFile(reference('openapi.json'), openApiText());
await writeFile(reference('http.md'), withRoutes(await readFile(reference('http.md'), 'utf8')));
