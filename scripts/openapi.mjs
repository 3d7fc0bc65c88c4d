import { writeFile } from 'node:fs/promises';
import 'reflect-metadata';
import { openApiText } from '../dist/apps/api/openapi-text.js';

/** Run after `npm run build`: the document comes from the very decorators that the API runs by. */
await writeFile(new URL('../docs/reference/openapi.json', import.meta.url), openApiText());
