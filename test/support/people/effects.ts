import type { World } from './world.js';

/** Returns the dates recorded as having taken effect for a person, in the order of recording. */
export async function effectStreamOf(
  world: World,
  organisationId: string,
  personId: string,
): Promise<readonly string[]> {
  const events = await world.eventStore.readStream(`employment-effect-${organisationId}.${personId}`);
  return events.map((event) => event.data['effective_date'] as string);
}
