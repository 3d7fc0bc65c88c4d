/**
 * A step of `npm run build`: writes dist/openapi.json from the declarations of the running API, if it
 * differs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import 'reflect-metadata';
import { openApiText } from '../dist/apps/api/openapi-text.js';

const file = fileURLToPath(new URL('../dist/openapi.json', import.meta.url));
const text = openApiText();
if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
