/**
 * Lints dist/openapi.json with Spectral (`.spectral.mjs`) and Redocly (`redocly.yaml`). Prints each finding
 * of any severity and fails if there is one.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lint, loadConfig } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import ruleset from '../.spectral.mjs';

const root = join(import.meta.dirname, '..');
const file = join(root, 'dist/openapi.json');

async function spectralFindings() {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset(ruleset);
  const results = await spectral.run(new spectralCore.Document(await readFile(file, 'utf8'), parsers.Json, file));
  return results.map(({ code, path, message }) => `Spectral ${code} at ${path.join('.')}: ${message}`);
}

async function redoclyFindings() {
  const config = await loadConfig({ configPath: join(root, 'redocly.yaml') });
  const problems = await lint({ ref: file, config });
  return problems.map(({ ruleId, message, location }) => `Redocly ${ruleId} at ${location[0]?.pointer}: ${message}`);
}

const findings = [...(await spectralFindings()), ...(await redoclyFindings())];
for (const finding of findings) console.error(finding);
console.log(`OpenAPI: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`);
process.exitCode = findings.length === 0 ? 0 : 1;
