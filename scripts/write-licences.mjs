/**
 * Writes `docs/reference/generated/licences.md` from `package-lock.json`. Run it after every change of the
 * lockfile.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { licencePage } from './dependencies/licence-page.mjs';
import { readPackages } from './dependencies/lockfile.mjs';

const root = join(import.meta.dirname, '..');
writeFileSync(join(root, 'docs', 'reference', 'generated', 'licences.md'), licencePage(readPackages(root)));
