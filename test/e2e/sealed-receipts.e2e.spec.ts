import { randomUUID } from 'node:crypto';
import { fingerprintOf } from '#commands/receipts/fingerprint.js';
import type { JsonObject } from '#kernel/json.js';
import { CustomFieldActions } from '../support/api/custom-fields.js';
import { type ApiAnswer, expectError, tagOf } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import { recordedEvents } from '../support/event-store.js';
import { TestApi } from '../support/api/test-api.js';

interface Write {
  readonly method: 'POST' | 'PATCH';
  /** The route's pattern and the ids in it. */
  readonly route: string;
  readonly parameters: JsonObject;
  readonly body: JsonObject;
  readonly other: JsonObject;
  readonly ifMatch: string | undefined;
}

let writes: ReadonlyMap<string, () => Promise<Write>>;

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

beforeAll(async () => {
  const people = new PeopleActions(organisation);
  const fields = new CustomFieldActions(api, organisation);
  const { id: fieldId } = await fields.define('origin', { sensitivity: 'demographic' });
  writes = new Map<string, () => Promise<Write>>([
    [
      'a creation',
      async () => ({
        method: 'POST',
        route: '/people',
        parameters: {},
        body: { work_email: newEmail() },
        other: { work_email: newEmail() },
        ifMatch: undefined,
      }),
    ],
    [
      'a change of identity',
      async () => {
        const { id: personId } = await people.create();
        return {
          method: 'PATCH',
          route: '/people/:personId',
          parameters: { personId },
          body: { first_name: 'Ada' },
          other: { first_name: 'Grace' },
          ifMatch: await people.personTag(personId),
        };
      },
    ],
    [
      'a change of custom fields',
      async () => {
        const { id: personId } = await people.create();
        const [body, other] = ['one', 'other'].map((value) => ({ values: [{ field_id: fieldId, value }] }));
        return {
          method: 'PATCH',
          route: '/people/:personId/custom-fields',
          parameters: { personId },
          body: body!,
          other: other!,
          ifMatch: tagOf(await fields.read(personId)),
        };
      },
    ],
  ]);
});

function send(
  { method, route, parameters, ifMatch }: Write,
  body: JsonObject,
  idempotencyKey: string,
): Promise<ApiAnswer> {
  return organisation.client.send(method, route.replace(':personId', String(parameters['personId'])), {
    body,
    idempotencyKey,
    ifMatch,
  });
}

describe.each(['a creation', 'a change of identity', 'a change of custom fields'])('%s', (name) => {
  it('leaves no fingerprint with its events that could be made without the key of the person', async () => {
    const write = await writes.get(name)!();
    const { method, parameters, body } = write;
    const idempotencyKey = randomUUID();
    expect((await send(write, body, idempotencyKey)).status).toBeLessThan(300);
    const recorded = (await recordedEvents(api.database.pool)).filter(
      ({ metadata }) => metadata.idempotency_key === idempotencyKey,
    );
    const rows = recorded.map(({ metadata }) => ({ kept: metadata.fingerprint }));
    expect(rows.length).toBeGreaterThan(0);
    const guessed = fingerprintOf({ method, route: `/api/v1${write.route}`, parameters, body });
    const { rows: receipts } = await api.database.pool.query<{ kept: string }>(
      'select fingerprint as kept from idempotency_receipts where idempotency_key = $1',
      [idempotencyKey],
    );
    // The guess is a good one: it is what the receipt of a write is kept under whose answer may rest in the
    // clear for seven days.
    expect(receipts[0]!.kept === guessed).toBe(name !== 'a change of custom fields');
    for (const { kept } of rows) expect(kept).toMatch(/^[0-9a-f]{64}$/);
    expect(rows.map(({ kept }) => kept)).not.toContain(guessed);
  });

  it('is known again by its events where its receipt was lost, and 409 with another body', async () => {
    const write = await writes.get(name)!();
    const idempotencyKey = randomUUID();
    const first = await send(write, write.body, idempotencyKey);
    const count = async (): Promise<unknown> => (await recordedEvents(api.database.pool)).length;
    const before = await count();
    await api.database.pool.query('delete from idempotency_receipts');
    const again = await send(write, write.body, idempotencyKey);
    expect([again.status, again.text, tagOf(again)]).toEqual([first.status, first.text, tagOf(first)]);
    await api.database.pool.query('delete from idempotency_receipts');
    expectError(await send(write, write.other, idempotencyKey), 409, 'idempotency_conflict');
    expect(await count()).toEqual(before);
  });
});
