import type { CommandContext } from '#commands/command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import type { LocalDate } from '#kernel/dates.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import { employmentAggregate } from '../employment/employment.js';
import { factsOf } from '../employment/history.js';
import { periodsOf } from '../employment/timeline.js';
import type { PeopleWriter } from '../record/people-writer.js';

/**
 * Ends the employment of a person before their personal data is erased: afterwards nothing can be recorded
 * about them, and they would stay active for ever. Safe to repeat with the same day, also after an erasure
 * that was interrupted.
 *
 * @param endOn the final day, inclusive; null to end nothing
 * @throws RejectedError (conflict): the person is employed and no day is given, or the employment has ended
 * on another day
 */
export async function endBeforeErasure(
  { store, writer }: { readonly store: EventStore; readonly writer: PeopleWriter },
  context: CommandContext,
  personId: string,
  endOn: LocalDate | null,
): Promise<void> {
  const events = await store.readStream(employmentAggregate.streamOf(context.organisationId, personId));
  const period = events.length === 0 ? undefined : periodsOf(factsOf(events)).at(-1);
  if (period === undefined) return;
  if (period.finalDay !== null) {
    if (endOn === null || endOn === period.finalDay) return;
    throw new RejectedError(conflict('end_date', `has already ended, with ${period.finalDay} as the final day`));
  }
  if (endOn === null) {
    const issue =
      'is active: end the employment first, or give its final day with --end-on, because it cannot be ended after ' +
      'the erasure';
    throw new RejectedError(conflict('status', issue));
  }
  await writer.recordFact(context, personId, { type: 'end', endDate: endOn }, new Map(), null);
}
