import { join } from 'node:path';
import type { Configuration } from '#configuration/configuration.js';
import { dataDirectoryPath } from '#embedded-postgres/data-directory.js';
import { completeErasure, type Erasure, listErasures, noteErasure } from '#people/erasure/erasure-list.js';
import { appendToErasureFile, type FiledErasure, readErasureFile } from '#people/erasure/erasure-file.js';
import { ErasePerson, RequestErasure } from '#people/erasure/erasure-commands.js';
import { personKeyOf } from '#people/person/person-keys.js';
import { NO_ORGANISATION, operatorContext } from '../../command-context.js';
import type { OpenInstallation } from '../../installation.js';
import { withCommandBus } from '../../send-as-operator.js';
import { personAggregate } from '#people/person/person.js';

/**
 * Repeats the erasures that a restored backup lacks: the unfinished ones of its own list, those of the list
 * beside an embedded database, and those of the requested list. People who are not in the backup are only put
 * on the list. Returns the number of erased people.
 */
export function eraseAgain(installation: OpenInstallation, requested: readonly FiledErasure[]): Promise<number> {
  const { pool, eventStore } = installation;
  const growing = erasureFileOf(installation.configuration);
  const file = async (erasure: Erasure): Promise<Erasure> => {
    if (growing !== null) await appendToErasureFile(growing, erasure);
    return erasure;
  };
  return withCommandBus(installation, async (commands) => {
    const own: readonly FiledErasure[] = await listErasures(pool, null);
    const beside = growing === null ? [] : await readErasureFile(growing, { optional: true, growing: true });
    let erased = 0;
    for (const one of distinct([...own, ...beside, ...requested])) {
      const { organisation_id: organisationId, person_id: personId, reason, actor, requested_at } = one;
      const events = await eventStore.readStream(personAggregate.streamOf(organisationId, personId));
      if (events.length === 0) {
        await completeErasure(pool, await file(await noteErasure(pool, one)));
        continue;
      }
      const isNew =
        (await personKeyOf(pool, organisationId, personId)) !== null ||
        !events.some(({ type }) => type === 'PersonErased');
      const context = { ...operatorContext({ ...NO_ORGANISATION, id: organisationId }), actor };
      const noted = await commands.execute(
        new RequestErasure(context, { person_id: personId, reason, requested_at }, null),
      );
      await commands.execute(new ErasePerson(context, await file(noted)));
      if (isNew) erased += 1;
    }
    return erased;
  });
}

function distinct(erasures: readonly FiledErasure[]): readonly FiledErasure[] {
  return [...new Map(erasures.map((one) => [`${one.organisation_id}.${one.person_id}`, one])).values()];
}

/**
 * The path of the list of erasures beside the embedded database, which a restore does not replace. Null if
 * the database is elsewhere.
 */
export function erasureFileOf(configuration: Configuration): string | null {
  return configuration.databaseUrl === null
    ? join(dataDirectoryPath(configuration.dataDirectory), 'erasures.ndjson')
    : null;
}
