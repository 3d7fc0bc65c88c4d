import { setTimeout as wait } from 'node:timers/promises';

/** The result of `look`, null if it finds nothing within this number of milliseconds. */
export async function until(look, limit) {
  for (const deadline = Date.now() + limit; Date.now() < deadline; await wait(100)) {
    const found = (await look()) ?? null;
    if (found !== null) return found;
  }
  return null;
}
