import { writeFile } from 'node:fs/promises';
import { configurationReference } from '../dist/libs/configuration/reference.js';

/** Run after `npm run build`: the reference comes from the very list that the program reads its settings by. */
await writeFile(new URL('../docs/reference/configuration.md', import.meta.url), configurationReference());
