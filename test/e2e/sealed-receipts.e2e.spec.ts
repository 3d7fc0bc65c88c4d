import { randomUUID } from 'node:crypto';
import { fingerprintOf } from '#commands/receipts/fingerprint.js';
import type { JsonObject } from '#kernel/json.js';
import { CustomFieldActions } from '../support/api/custom-fields.js';
import { tagOf } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import { recordedEvents } from '../support/event-store.js';
import { TestApi } from '../support/api/test-api.js';

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

/** A write, by the pattern of its route with the ids in it. */
interface Write {
  readonly method: 'POST' | 'PATCH';
  readonly route: string;
  readonly parameters: JsonObject;
  readonly body: JsonObject;
  readonly ifMatch?: string;
}

const WRITES: Readonly<Record<string, () => Promise<Write>>> = {
  'a creation': () =>
    Promise.resolve({ method: 'POST', route: '/people', parameters: {}, body: { work_email: newEmail() } }),
  'a change of identity': async () => {
    const { id: personId } = await people.create();
    const ifMatch = await people.personTag(personId);
    return {
      method: 'PATCH',
      route: '/people/:personId',
      parameters: { personId },
      body: { first_name: 'Ada' },
      ifMatch,
    };
  },
  'a change of custom fields': async () => {
    const fields = new CustomFieldActions(api, organisation);
    const { id: field_id } = await fields.define('origin', { sensitivity: 'demographic' });
    const { id: personId } = await people.create();
    return {
      method: 'PATCH',
      route: '/people/:personId/custom-fields',
      parameters: { personId },
      body: { values: [{ field_id, value: 'one' }] },
      ifMatch: tagOf(await fields.read(personId)),
    };
  },
};

it.each(Object.keys(WRITES))(
  '%s leaves no fingerprint with its events that could be made without the key of the person',
  async (name) => {
    const { method, route, parameters, body, ifMatch } = await WRITES[name]!();
    const idempotencyKey = randomUUID();
    const path = route.replace(':personId', String(parameters['personId']));
    const answer = await organisation.client.send(method, path, { body, idempotencyKey, ifMatch });
    expect(answer.status).toBeLessThan(300);
    const kept = (await recordedEvents(api.database.pool))
      .filter(({ metadata }) => metadata.idempotency_key === idempotencyKey)
      .map(({ metadata }) => metadata.fingerprint);
    expect(kept.length).toBeGreaterThan(0);
    const guessed = fingerprintOf({ method, route: `/api/v1${route}`, parameters, body });
    const { rows: receipts } = await api.database.pool.query<{ fingerprint: string }>(
      'select fingerprint from idempotency_receipts where idempotency_key = $1',
      [idempotencyKey],
    );
    // The guess is a good one: it is what the receipt of a write is kept under whose answer may rest in the
    // clear for seven days.
    expect(receipts[0]!.fingerprint === guessed).toBe(name !== 'a change of custom fields');
    for (const fingerprint of kept) expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(kept).not.toContain(guessed);
  },
);
