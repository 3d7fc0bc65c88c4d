import type { CommandContext } from '#commands/command-context.js';
import { ERASED_ISSUE } from '#kernel/erasure.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import { holdReferences } from '#commands/locks/references.js';
import { commit } from '#commands/unit-of-work.js';
import type { CommandServices } from '#commands/services.js';
import { handleCommand } from '#commands/handle-command.js';
import { customFieldAggregate } from '../../organisation/custom-field/custom-field.decider.js';
import { listCustomFields } from '../../organisation/custom-field/custom-field.table.js';
import { withSealedFingerprint } from '../person/person-seal.js';
import {
  type CustomFieldValuesState,
  decideCustomFieldValues,
  evolveCustomFieldValues,
  initialCustomFieldValues,
  type SetValues,
} from './custom-field-value.decider.js';
import { storedValues } from './custom-field-value.projection.js';
import type { PersonValues } from './custom-field-value.queries.js';
import { openValuesEvent, type SealedValuesEvent, sealValuesEvent } from './custom-field-value.seal.js';

/** Throws where the caller expected other values; it receives the current values as they are shown. */
export type Expectation = (current: PersonValues) => void;

/**
 * Sets or clears a person's values; returns all of them as they are right after the command. `known`: the person, as a query found them.
 * Without an expectation, the last command wins. Throws {@link RejectedError}.
 */
export async function setCustomFieldValues(
  services: CommandServices,
  context: CommandContext,
  known: PersonValues,
  { values, writer }: Pick<SetValues, 'values' | 'writer'>,
  expectation: Expectation | null = null,
): Promise<PersonValues> {
  const key = known.person_key;
  if (key === null) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
  const { organisationId } = context;
  const streams = values.map(({ field_id: id }) => customFieldAggregate.streamOf(organisationId, id));
  return commit(services, context, async (within) => {
    await holdReferences(services, within, streams);
    const fields = await listCustomFields(services.executor, organisationId, writer.type === 'operator' ? 'all' : 'visible');
    const result = await handleCommand<CustomFieldValuesState, SealedValuesEvent>(services.store, withSealedFingerprint(within, key), {
      stream: `person-custom-fields-${organisationId}.${known.person_id}`,
      initial: initialCustomFieldValues,
      evolve: (state, event) => evolveCustomFieldValues(state, openValuesEvent(event, key)),
      decide: (state, revision) => {
        expectation?.({ ...known, fields, revision });
        const decision = decideCustomFieldValues({ type: 'set', values, fields, writer }, state);
        return 'rejection' in decision ? decision : { events: decision.events.map((event) => sealValuesEvent(event, key)) };
      },
      onConflict: expectation === null ? 'decide_again' : 'refuse',
    });
    return () => ({ ...known, fields, revision: result.revision, sealed_values: storedValues(result.events) });
  });
}
