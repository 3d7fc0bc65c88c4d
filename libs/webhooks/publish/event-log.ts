import type { Position } from '#event-store/event-store.js';
import type { Executor } from '#projections/projection.js';
import type { LoggedEvent } from '../deliver/envelope.js';
import type { Notice } from './notices.js';

/** The position up to which the log of events has been followed; null before its first event. */
export async function followedUpTo(executor: Executor): Promise<Position | null> {
  const { rows } = await executor.query<{ position: string | null }>('select position from webhook_fan_out');
  return rows[0]!.position;
}

/** Returns those of these organisations that have endpoints, including disabled ones. */
export async function organisationsWithEndpoints(
  executor: Executor,
  organisationIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (organisationIds.length === 0) return new Set();
  const { rows } = await executor.query<{ organisation_id: string }>({
    name: 'organisations-with-webhooks',
    text: `select distinct organisation_id from webhooks where organisation_id = any($1::text[])
      and status <> 'deleted'`,
    values: [organisationIds],
  });
  return new Set(rows.map((row) => row.organisation_id));
}

/** The result of a batch of the log. */
export interface Followed {
  readonly events: readonly LoggedEvent[];
  readonly notices: readonly Notice[];
  /** The last event of the batch, published or not. */
  readonly position: Position;
}

/**
 * Stores the events and moves the checkpoint, in one statement: a crash keeps both or neither, and a batch
 * that is followed twice is stored once.
 */
export async function keepEvents(executor: Executor, { events, notices, position }: Followed): Promise<void> {
  await executor.query({
    name: 'keep-webhook-events',
    text: `
      with stored as (
        insert into webhook_events (organisation_id, id, type, resource_id, resource_type, occurred_at, position,
          traceparent)
        select "organisationId", id, type, "resourceId", "resourceType", "occurredAt", position, traceparent
          from json_to_recordset($1) as e ("organisationId" text, id text, type text, "resourceId" text,
            "resourceType" text, "occurredAt" timestamptz, position text, traceparent text)
        on conflict do nothing
      ), published as (
        insert into organisation_notices (organisation_id, id, kind, subject_id, text, created_at)
        select "organisationId", id, kind, "subjectId", text, "createdAt"
          from json_to_recordset($2) as n ("organisationId" text, id text, kind text, "subjectId" text, text text,
            "createdAt" timestamptz)
        on conflict do nothing
      )
      update webhook_fan_out set position = $3, updated_at = clock_timestamp() where position is null or position < $3`,
    values: [JSON.stringify(events), JSON.stringify(notices), position],
  });
}
