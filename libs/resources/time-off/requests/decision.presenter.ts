import type { RecordedEvent } from '#event-store/event-store.js';
import type { EventSubjects } from '../../people/audit-report/event-subjects.js';
import { openJson } from '../../people/person/person-seal.js';
import type { TimeOffEvent } from '../records/time-off.decider.js';
import type { DecisionResponse } from './decision.contract.js';

/** What the events of a calendar are called as steps of a record. */
const STEPS: Readonly<Record<TimeOffEvent['type'], string>> = {
  TimeOffRequested: 'requested',
  TimeOffChanged: 'changed',
  TimeOffApproved: 'approved',
  TimeOffRejected: 'rejected',
  TimeOffCancelled: 'cancelled',
  TimeOffCut: 'shortened',
};

/** An event of a calendar as a step of its record, without its note. `subjects` has read the names of its actors. */
export function presentDecision(event: RecordedEvent, subjects: EventSubjects): DecisionResponse {
  const { actor, approval, request_id } = event.metadata;
  return {
    decision: STEPS[event.type as TimeOffEvent['type']],
    decided_at: event.recordedAt,
    decided_by: subjects.named(actor),
    approved_by: approval === undefined ? null : subjects.named(approval.approved_by),
    because: (event.data['because'] as string | undefined) ?? null,
    request_id,
  };
}

/** The note of a decision; null where there is none, and after an erasure. `subjects` has read the key that opens it. */
export function noteOf(event: RecordedEvent, subjects: EventSubjects): string | null {
  const sealed = event.data['sealed_note'] as string | undefined;
  const key = sealed === undefined ? null : subjects.keyOf(event);
  return key === null ? null : (openJson(sealed!, key) as string);
}
