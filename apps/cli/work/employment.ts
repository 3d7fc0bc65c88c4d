import { PeopleWriter } from '#resources/people/people/people-writer.js';
import { factRows } from '#resources/people/employment/history.projection.js';
import type { Call, Outcome } from '../command.js';
import { commandServices, operatorContext } from '../command-context.js';
import { type Installation, withInstallation } from '../installation.js';
import { orSentence } from '../rejection-sentence.js';
import { requireOrganisation } from './organisations.js';
import { requirePerson } from './timeline.js';

/** What writes changes of people, over an open installation. */
export function peopleWriter(installation: Installation): PeopleWriter {
  const { store: eventStore, projector, mint } = commandServices(installation);
  return new PeopleWriter({ pool: installation.pool, eventStore, projector, mint });
}

/** `workforce people withdraw-fact`: by the rules of `withdraw` over the API. Its output names no reason, because output is often kept. */
export function withdrawFact({ arguments: [who], options }: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const { person_id: personId, display_name: name } = await requirePerson(installation.pool, who!, organisation.id);
    const request = { type: 'withdraw', corrects: options['fact'] as string, correctionReason: options['reason'] as string } as const;
    const writer = peopleWriter(installation);
    const { events } = await orSentence(() => writer.recordFact(operatorContext(organisation), personId, request, new Map(), null));
    const fact = factRows(events).at(-1)!;
    const json = { person_id: personId, fact_id: fact['fact_id'] as string, corrects: request.corrects };
    return {
      json,
      text: `Withdrew ${request.corrects} of ${name} (${personId}): what was believed before it holds again. workforce timeline ${personId} shows it.`,
    };
  });
}
