/**
 * `npm run sbom [-- FILE]`: writes the packages in production, from `package-lock.json`, as CycloneDX 1.6. To
 * `sbom.cdx.json` without a file.
 */
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { billOfMaterials } from './dependencies/sbom.mjs';

const root = join(import.meta.dirname, '..');
const file = process.argv[2] === undefined ? join(root, 'sbom.cdx.json') : resolve(process.argv[2]);
writeFileSync(file, billOfMaterials(root));
console.log(`Wrote ${relative(process.cwd(), file)}.`);
