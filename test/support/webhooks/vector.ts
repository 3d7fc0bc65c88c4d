import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The test vector in the documentation for receivers. */
export interface Vector {
  readonly secrets: readonly [string, ...string[]];
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the only JSON block of the page about verification. */
export function readVector(): Vector {
  const page = readFileSync(resolve(__dirname, '../../../docs/how-to/verify-webhooks.md'), 'utf8');
  const [, block] = /^```json\n([\s\S]*?)^```$/m.exec(page)!;
  return JSON.parse(block!) as Vector;
}
