import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checksumOf } from '#database/migrations.js';
import { MIGRATIONS } from './migrations.js';

/**
 * The checksums of steps whose text is final. A baseline that differs here was changed by a schema text of a resource or of the foundation, or
 * by the order of resources that declare one: undo that, and write a new step in `migrations` of the resource.
 */
const FINAL: Readonly<Record<string, string>> = { baseline: 'd9bddc7fe0c438f16c65ee172c17a0808c2f9ff02ebd949d8a9232a8044707d7' };

it('final steps never change', () => {
  const steps = Object.fromEntries(MIGRATIONS.map((step) => [step.name, checksumOf(step)]));
  expect(steps).toMatchObject(FINAL);
});

it('steps are numbered from 1 without gaps', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

it('the page on adding a resource gives its step the next number', () => {
  const page = readFileSync(join(__dirname, '../../docs/how-to/add-a-resource.md'), 'utf8');
  const [, version, name] = /^  version: (\d+),\n  name: '(\w+)',$/m.exec(page) ?? [];
  // The copy of the tree in which a test follows the page has the step already.
  const others = MIGRATIONS.filter((step) => step.name !== name);
  expect(version).toBe(String(others.length + 1));
});
