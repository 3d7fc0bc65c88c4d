import { readFileSync, statSync } from 'node:fs';

/** The maximum length of a secret; a log that is named by mistake is not read. */
const MAX_BYTES = 65_536;

/** The variable that names the file with a secret variable's value. */
export function fileVariable(name: string): string {
  return `${name}_FILE`;
}

/**
 * The secret in a file, without one trailing line end; or the problem of the file, worded to follow "which".
 */
export function readSecretFile(path: string): { readonly text: string } | { readonly issue: string } {
  let bytes: Buffer;
  try {
    const status = statSync(path);
    if (status.isDirectory()) return { issue: 'is a directory' };
    if (status.size > MAX_BYTES) return { issue: `is longer than ${MAX_BYTES} bytes` };
    bytes = readFileSync(path);
  } catch (error) {
    return { issue: reasonOf(error) };
  }
  const text = bytes.toString('utf8').replace(/\r?\n$/, '');
  if (text.trim() === '') return { issue: 'is empty' };
  // Line ends, surrounding spaces and bytes that are not text are errors: otherwise a wrong password would be
  // the first sign of them.
  if (/[\r\n]/.test(text)) return { issue: 'has more than one line' };
  if (text !== text.trim()) return { issue: 'has spaces before or after the value' };
  return /[\0-\x1f\ufffd]/.test(text) ? { issue: 'is not UTF-8 text' } : { text };
}

function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  return code === 'EACCES' || code === 'EPERM' ? 'this process may not read' : `cannot be read (${code})`;
}
