import type { Pool } from 'pg';
import type { InstallationKeys } from '#database/installation-keys.js';
import type { EventStore } from '#event-store/event-store.js';
import { completeErasure, type Erasure, listErasures, noteErasure } from '#resources/people/erasure/erasure-list.js';
import { appendToErasureFile, type FiledErasure, readErasureFile } from '#resources/people/erasure/erasure-file.js';
import { erasePerson } from '#resources/people/erasure/erase-person.js';
import { personKeyOf } from '#resources/people/person/person-keys.js';
import { commandServices, operatorContext } from '../../command-context.js';
import { personAggregate } from '#resources/people/person/person.decider.js';

/** The lists of erasures that outlived the backup. */
export interface ErasureSources {
  /** The list next to an embedded database, which is read and completed; null where there is none. */
  readonly growing: string | null;
  /** The list that the operator named. */
  readonly wanted: readonly FiledErasure[];
}

/**
 * Repeats the erasures that a restored backup lacks: the unfinished ones of its own list, and those of the lists that
 * outlived it. People who are not in the backup only go on the list. Returns how many people were erased.
 */
export async function eraseAgain(
  installation: { readonly pool: Pool; readonly eventStore: EventStore; readonly keys: InstallationKeys },
  { growing, wanted }: ErasureSources,
): Promise<number> {
  const { pool, eventStore } = installation;
  const services = commandServices(installation);
  const own: readonly FiledErasure[] = await listErasures(pool, null);
  const beside = growing === null ? [] : await readErasureFile(growing, { optional: true, growing: true });
  const onNoted = async (erasure: Erasure): Promise<void> => {
    if (growing !== null) await appendToErasureFile(growing, erasure);
  };
  let erased = 0;
  for (const one of distinct([...own, ...beside, ...wanted])) {
    const { organisation_id: organisationId, person_id: personId, reason, actor, requested_at } = one;
    const events = await eventStore.readStream(personAggregate.streamOf(organisationId, personId));
    if (events.length === 0) {
      const noted = await noteErasure(pool, one);
      await onNoted(noted);
      await completeErasure(pool, noted);
      continue;
    }
    const isNew = (await personKeyOf(pool, organisationId, personId)) !== null || !events.some(({ type }) => type === 'PersonErased');
    const context = { ...operatorContext({ id: organisationId, time_zone: 'UTC' }), actor };
    await erasePerson(services, context, { person_id: personId, reason, requested_at }, { onNoted });
    if (isNew) erased += 1;
  }
  return erased;
}

function distinct(erasures: readonly FiledErasure[]): readonly FiledErasure[] {
  return [...new Map(erasures.map((one) => [`${one.organisation_id}.${one.person_id}`, one])).values()];
}
