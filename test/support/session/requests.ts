import { CustomFieldActions } from '../api/custom-fields.js';
import { derivedRequestOfAny, nameOf, WRITES } from '../api/derived-requests.js';
import type { ApiAnswer } from '../api/http-client.js';
import { checkedImport, newImport } from '../api/imports.js';
import { proposeJob } from '../api/proposals.js';
import { validBodyOfSome } from '../api/valid-bodies.js';
import { chance, dayBetween, oneOf, plainText, someOf, text } from './chance.js';
import type { Setting, Steps, Taken } from './setting.js';
import { valueFor } from './values.js';

const REFUSALS: readonly number[] = [400, 404, 409, 412];
const FIRST_DAY = '2024-01-01';
const LAST_DAY = '2027-12-31';

const REVOCABLE = 'To be revoked';

/** The requests of writes whose rules need more than a body of their class, by their route. */
export const REQUESTS_BY_HAND: Steps = {
  'POST /people': async (at) =>
    post(at, '/people', {
      work_email: `${plainText()}@example.com`,
      ...someOf(identity()),
      ...(chance(80) ? { start_date: anyDay() } : {}),
      ...(chance(60) ? await terms(at) : {}),
    }),
  'PATCH /people/{personId}': async (at) => {
    const { person_id: id } = await at.person();
    return guarded(at, 'PATCH', `/people/${id}`, someOf(identity()), () => at.people.personTag(id));
  },
  'POST /people/{personId}/end': async (at) => {
    const { person_id: id, start_date: start } = await at.person("status = 'active'");
    return guarded(at, 'POST', `/people/${id}/end`, { end_date: dayBetween(start ?? FIRST_DAY, LAST_DAY) }, () =>
      at.people.personTag(id),
    );
  },
  'POST /people/{personId}/reactivate': async (at) => {
    const { person_id: id, end_date: end } = await at.person("status <> 'active'");
    const body = { start_date: dayBetween(end ?? FIRST_DAY, '2028-12-31'), ...(chance(50) ? await terms(at) : {}) };
    return guarded(at, 'POST', `/people/${id}/reactivate`, body, () => at.people.personTag(id));
  },
  'PATCH /people/{personId}/employment': async (at) => {
    const { person_id: id, start_date: start } = await at.person('start_date is not null');
    const body = { ...(await terms(at)), start_date: dayBetween(start!, LAST_DAY) };
    return guarded(at, 'PATCH', `/people/${id}/employment`, body, () => at.people.employmentTag(id));
  },
  'POST /people/{personId}/employment-history': async (at) => {
    const { person_id: id, start_date: start } = await at.person('start_date is not null');
    const facts = await at.rows<{ readonly fact_id: string }>('employment_facts', `person_id = '${id}'`);
    if (chance(20))
      return post(at, `/people/${id}/employment-history`, {
        corrects: oneOf(facts).fact_id,
        correction_reason: text(),
        withdraw: true,
      });
    const corrects = chance(50) ? { corrects: oneOf(facts).fact_id } : {};
    return post(at, `/people/${id}/employment-history`, {
      ...(await terms(at)),
      start_date: dayBetween(start!, LAST_DAY),
      correction_reason: text(),
      ...corrects,
    });
  },
  'PATCH /people/{personId}/custom-fields': async (at) => {
    const [fields, { person_id: personId }] = [
      await at.rows<Parameters<typeof valueFor>[0]>('custom_fields', "api_access = 'read_write'"),
      await at.person(),
    ];
    const field = oneOf(fields);
    const value = chance(20) ? null : valueFor(field);
    return taken(
      await new CustomFieldActions(at.api, at.organisation).write(personId, [{ field_id: field.id, value }]),
    );
  },
  'POST /working-patterns': async (at) => post(at, '/working-patterns', { label: text(), ...pattern() }),
  'POST /time-off': async (at) => {
    const { person_id: personId, start_date: start } = await at.person(
      "status = 'active' and start_date is not null and working_pattern_id is not null",
    );
    return post(at, '/time-off', {
      person_id: personId,
      category_id: await at.any('time_off_categories', 'is_active'),
      ...span(start!),
    });
  },
  'PATCH /time-off/{timeOffId}': async (at) => {
    const id = await at.any('time_off', "status_code in ('pending', 'approved')");
    return patch(
      at,
      `/time-off/${id}`,
      chance(70) ? span(FIRST_DAY) : { category_id: await at.any('time_off_categories') },
    );
  },
  'POST /people/{personId}/time-off-balance/adjustments': async (at) => {
    const { person_id: id, start_date: start } = await at.person('start_date is not null');
    const adjustment = {
      category_id: await at.any('time_off_categories', 'is_active and deducts_balance'),
      amount_minutes: oneOf([450, 90, -60]),
      effective_date: dayBetween(start!, LAST_DAY),
    };
    return post(at, `/people/${id}/time-off-balance/adjustments`, {
      ...adjustment,
      reason_code: oneOf(['grant', 'correction', 'carry_over', 'payout', 'other']),
    });
  },
  'POST /api-keys/{keyId}/revoke': async (at) => {
    // Other steps ask with the other keys.
    await post(at, '/api-keys', { name: REVOCABLE, scopes: ['people:read'] });
    const keys = await at.rows<{ readonly key_id: string }>('api_keys', `name = '${REVOCABLE}'`);
    return post(at, `/api-keys/${oneOf(keys).key_id}/revoke`);
  },
  'POST /imports/{importId}/run': async (at) =>
    post(at, `/imports/${await checkedImport(at.api, at.organisation.client, [`${plainText()}@example.com`])}/run`),
  'POST /imports/{importId}/cancel': async (at) =>
    post(at, `/imports/${await newImport(at.organisation.client)}/cancel`),
  'POST /webhooks': async (at) => post(at, '/webhooks', endpoint()),
  'PATCH /webhooks/{webhookId}': async (at) =>
    patch(at, `/webhooks/${await webhook(at)}`, someOf({ ...endpoint(), status: oneOf(['active', 'disabled']) })),
  'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver': async (at) => {
    const id = await webhook(at, "status = 'active'");
    const tested = await at.organisation.client.post<{ readonly delivery_id: string }>(`/webhooks/${id}/test`, {
      event_type: 'webhook.test',
    });
    if (tested.status !== 200) return taken(tested);
    const { delivery_id: deliveryId } = tested.json.data;
    // The row that a worker writes after the endpoint has refused the delivery permanently.
    await at.api.database.pool.query(
      "update webhook_deliveries set status = 'failed', next_attempt_at = null, finished_at = now() where id = $1",
      [deliveryId],
    );
    return post(at, `/webhooks/${id}/deliveries/${deliveryId}/redeliver`);
  },
  'POST /write-proposals/{writeProposalId}/approve': async (at) =>
    post(at, `/write-proposals/${await proposal(at)}/approve`),
  'POST /write-proposals/{writeProposalId}/reject': async (at) =>
    post(at, `/write-proposals/${await proposal(at)}/reject`),
  'POST /write-proposals/{writeProposalId}/cancel': async (at) =>
    post(at, `/write-proposals/${await proposal(at, at.organisation.apiKey)}/cancel`),
};

/**
 * Every write of the API, with a random body: from the requests above where they have the route, else derived
 * from its contract class, for existing resources. A refusal by the rules counts as a success; anything else
 * is a failure.
 */
export const REQUESTS: Steps = {
  ...Object.fromEntries(
    WRITES.map((route): [string, Steps[string]] => [
      nameOf(route),
      async (at) => {
        const { method, path, body, ifMatch } = await derivedRequestOfAny(at, route, oneOf, validBodyOfSome);
        return taken(await at.client.send(method, path, { body, ifMatch }));
      },
    ]),
  ),
  ...REQUESTS_BY_HAND,
};

/** Proposes a write about somebody new, with a key of its own or with this one. */
export async function proposal(at: Setting, apiKey?: string): Promise<string> {
  for (;;) {
    const { id } = await at.people.create({ start_date: '2025-01-01' });
    try {
      return await proposeJob(at.api, at.organisation, id, apiKey);
    } catch (error) {
      // Another lane may have ended the employment in between, or moved its start.
      if (!/has ended: reactivate|lies outside the current and the coming period/.test(String(error))) throw error;
    }
  }
}

function endpoint(): Record<string, unknown> {
  return {
    name: text(),
    url: `https://93.184.216.34/${encodeURIComponent(plainText())}`,
    subscribed_events: [oneOf(['person.created', 'time_off.approved', 'webhook.test'])],
  };
}

/**
 * Returns an existing endpoint, or a new one where there is none. Lanes delete and disable endpoints that
 * others were about to use.
 */
async function webhook(at: Setting, condition = "status <> 'deleted'"): Promise<string> {
  const known = await at.anyOrNull('webhooks', condition);
  if (known !== null) return known;
  await post(at, '/webhooks', endpoint());
  return at.any('webhooks', condition);
}

function taken({ status, text: answer }: ApiAnswer): Taken {
  if (status >= 300 && !REFUSALS.includes(status)) throw new Error(`answered ${status}: ${answer}`);
  return { done: status < 300, answer: `${status} ${status < 300 ? '' : answer}` };
}

async function post(at: Setting, path: string, body?: object): Promise<Taken> {
  return taken(await at.organisation.client.send('POST', path, { body }));
}

async function patch(at: Setting, path: string, body: object): Promise<Taken> {
  return taken(await at.organisation.client.patch(path, body));
}

async function guarded(
  at: Setting,
  method: string,
  path: string,
  body: object,
  tag: () => Promise<string>,
): Promise<Taken> {
  return taken(await at.organisation.client.send(method, path, { body, ifMatch: await tag() }));
}

function anyDay(): string {
  return dayBetween(FIRST_DAY, '2026-12-31');
}

function identity(): Record<string, unknown> {
  return {
    work_email: `${plainText()}@Example.com`,
    first_name: text(),
    preferred_name: oneOf([null, text()]),
    last_name: text(),
    staff_id: oneOf([null, plainText()]),
  };
}

async function terms(at: Setting): Promise<Record<string, unknown>> {
  return someOf({
    job_title: text(),
    department_id: await at.anyOrNull('org_units', 'archived_at is null'),
    manager_id: (await at.person()).person_id,
    work_place_id: await at.anyOrNull('work_places', 'is_active'),
    work_type_id: await at.anyOrNull('work_types', 'is_active'),
    working_pattern_id: await at.anyOrNull('working_patterns', 'archived_at is null'),
    contracted_weekly_minutes: oneOf([null, 0, 1_125, 2_250]),
    full_time_weekly_minutes: oneOf([null, 2_250, 10_080]),
  });
}

function pattern(): Record<string, unknown> {
  const weeks = oneOf([1, 2, 3]);
  const days = Array.from({ length: weeks }, (_, week) =>
    [1, 2, 3, 4, 5, 6].map((weekday) => ({
      week: week + 1,
      weekday,
      morning_minutes: oneOf([0, 240]),
      afternoon_minutes: 210,
    })),
  );
  return { cycle_weeks: weeks, anchor_date: anyDay(), days: days.flat() };
}

function span(notBefore: string): Record<string, unknown> {
  const start = dayBetween(notBefore, LAST_DAY);
  const end = dayBetween(start, new Date(Date.parse(start) + 14 * 86_400_000).toISOString().slice(0, 10));
  const part = oneOf(['full', 'full', 'morning', 'afternoon']);
  if (start === end) return { start_date: start, end_date: end, start_day_part: part, end_day_part: part };
  return {
    start_date: start,
    end_date: end,
    start_day_part: part === 'morning' ? 'full' : part,
    end_day_part: oneOf(['full', 'morning']),
  };
}
