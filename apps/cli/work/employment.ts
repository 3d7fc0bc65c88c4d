import { RecordFact } from '#people/timeline/change-employment.js';
import type { Call, Outcome } from '../declaration.js';
import { withInstallation } from '../installation.js';
import { sendAsOperator } from '../send-as-operator.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

/**
 * `workforce people withdraw-fact`: by the rules of `withdraw` over the API. Its output names no reason,
 * because output is often kept.
 */
export function withdrawFact({ arguments: [who], options }: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const { person_id: personId, display_name: name } = await requirePerson(installation.pool, who!, organisation.id);
    const request = {
      type: 'withdraw',
      corrects: options['fact'] as string,
      correctionReason: options['reason'] as string,
    } as const;
    const { fact } = await sendAsOperator(
      installation,
      organisation,
      (context) => new RecordFact(context, personId, request, null),
    );
    const json = { person_id: personId, fact_id: fact.fact_id, corrects: request.corrects };
    return {
      json,
      text: `Withdrew ${request.corrects} of ${name} (${personId}): what was believed before it holds again. workforce timeline ${personId} shows it.`,
    };
  });
}
