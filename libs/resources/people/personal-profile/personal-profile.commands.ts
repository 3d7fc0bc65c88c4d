import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { handleCommand } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import { requirePersonKey } from '../person/person-keys.js';
import { withSealedFingerprint } from '../person/person-seal.js';
import {
  decidePersonalProfile,
  evolvePersonalProfile,
  initialPersonalProfile,
  personalProfileAggregate,
} from './personal-profile.decider.js';
import { type PersonalProfile, normaliseProfile } from './personal-profile.rules.js';
import { openProfileEvent, sealProfileEvent, type SealedProfileEvent } from './profile-seal.js';

/**
 * Changes fields of a person's profile; null clears a field, fields that are not named stay. Returns the names of the changed fields.
 * Throws `RejectedError`: no such person, erased personal data, an invalid field.
 */
export function changePersonalProfile(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  changes: Partial<PersonalProfile>,
): Promise<readonly string[]> {
  const { organisationId, today } = context;
  const tidied = normaliseProfile(changes);
  return commit(services, context, async (within) => {
    const key = await requirePersonKey(services.executor, organisationId, personId);
    const result = await handleCommand<PersonalProfile, SealedProfileEvent>(services.store, withSealedFingerprint(within, key), {
      stream: personalProfileAggregate.streamOf(organisationId, personId),
      initial: initialPersonalProfile,
      evolve: (state, event) => evolvePersonalProfile(state, openProfileEvent(event, key)),
      decide: (state) => {
        const decision = decidePersonalProfile({ type: 'change', changes: tidied, today }, state);
        return 'rejection' in decision ? decision : { events: decision.events.map((event) => sealProfileEvent(event, key)) };
      },
      onConflict: 'decide_again',
    });
    return () => (result.outcome === 'unchanged' ? [] : Object.keys(result.events.at(-1)!.data['sealed'] as object));
  });
}
