import { statfs } from 'node:fs/promises';

/**
 * The number of free bytes on the disk of a directory for users other than root. Throws if there is no such
 * directory.
 */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
