import { CustomFieldActions } from '../api/custom-fields.js';
import { derivedRequestOfAny, nameOf, WRITES } from '../api/derived-requests.js';
import type { ApiAnswer } from '../api/http-client.js';
import { checkedImport, newImport } from '../api/imports.js';
import { proposeJob } from '../api/proposals.js';
import { validBodyOfSome } from '../api/valid-bodies.js';
import { ROLES } from '#kernel/roles.js';
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
  'POST /org-units': async (at) => post(at, '/org-units', { name: text(), ...(await unit(at)) }),
  'PATCH /org-units/{orgUnitId}': async (at) =>
    patch(at, `/org-units/${await at.any('org_units')}`, someOf({ name: text(), ...(await unit(at)) })),
  'POST /org-units/{orgUnitId}/archive': async (at) =>
    post(at, `/org-units/${await at.any('org_units', 'archived_at is null')}/archive`),
  'POST /org-units/{orgUnitId}/reactivate': async (at) =>
    post(at, `/org-units/${await at.any('org_units', 'archived_at is not null')}/reactivate`),
  'POST /working-patterns': async (at) => post(at, '/working-patterns', { label: text(), ...pattern() }),
  'PATCH /working-patterns/{workingPatternId}': async (at) =>
    patch(
      at,
      `/working-patterns/${await at.any('working_patterns', 'archived_at is null')}`,
      chance(50) ? { label: text() } : pattern(),
    ),
  'POST /working-patterns/{workingPatternId}/archive': async (at) =>
    post(at, `/working-patterns/${await at.any('working_patterns')}/archive`),
  'POST /time-off/categories': async (at) => post(at, '/time-off/categories', { label: text(), ...someOf(category()) }),
  'PATCH /time-off/categories/{categoryId}': async (at) =>
    patch(
      at,
      `/time-off/categories/${await at.any('time_off_categories', 'is_active')}`,
      someOf({ label: text(), ...category() }),
    ),
  'POST /time-off/categories/{categoryId}/archive': async (at) =>
    post(at, `/time-off/categories/${await at.any('time_off_categories')}/archive`),
  'PATCH /time-off/settings': async (at) => patch(at, '/time-off/settings', someOf(settings())),
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
  'POST /time-off/{timeOffId}/approve': (at) => step(at, 'approve', "status_code = 'pending'"),
  'POST /time-off/{timeOffId}/reject': (at) => step(at, 'reject', "status_code = 'pending'"),
  'POST /time-off/{timeOffId}/cancel': (at) => step(at, 'cancel', "status_code in ('pending', 'approved')"),
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
  'POST /api-keys': async (at) =>
    post(at, '/api-keys', { name: text(), scopes: [oneOf(['people:read', 'reference:read'])] }),
  'POST /api-keys/{keyId}/revoke': async (at) => {
    // Other steps ask with the other keys.
    await post(at, '/api-keys', { name: REVOCABLE, scopes: ['people:read'] });
    const keys = await at.rows<{ readonly key_id: string }>('api_keys', `name = '${REVOCABLE}'`);
    return post(at, `/api-keys/${oneOf(keys).key_id}/revoke`);
  },
  'PATCH /users/{userId}': async (at) => patch(at, `/users/${await user(at)}`, { role: oneOf(ROLES) }),
  'POST /users/{userId}/deactivate': async (at) => post(at, `/users/${await user(at)}/deactivate`),
  'POST /users/{userId}/reactivate': async (at) => post(at, `/users/${await user(at)}/reactivate`),
  'POST /users/{userId}/sign-in-link': async (at) => post(at, `/users/${await user(at)}/sign-in-link`),
  'DELETE /users/{userId}/sessions': async (at) =>
    taken(await at.organisation.client.send('DELETE', `/users/${await user(at)}/sessions`)),
  'POST /imports/{importId}/run': async (at) =>
    post(at, `/imports/${await checkedImport(at.api, at.organisation.client, [`${plainText()}@example.com`])}/run`),
  'POST /imports/{importId}/cancel': async (at) =>
    post(at, `/imports/${await newImport(at.organisation.client)}/cancel`),
  'POST /webhooks': async (at) => post(at, '/webhooks', endpoint()),
  'PATCH /webhooks/{webhookId}': async (at) =>
    patch(at, `/webhooks/${await webhook(at)}`, someOf({ ...endpoint(), status: oneOf(['active', 'disabled']) })),
  'DELETE /webhooks/{webhookId}': async (at) =>
    taken(await at.organisation.client.send('DELETE', `/webhooks/${await webhook(at)}`)),
  'POST /webhooks/{webhookId}/rotate-secret': async (at) => post(at, `/webhooks/${await webhook(at)}/rotate-secret`),
  'POST /webhooks/{webhookId}/test': async (at) =>
    post(at, `/webhooks/${await webhook(at, "status = 'active'")}/test`, { event_type: 'webhook.test' }),
  'POST /webhooks/{webhookId}/resend': async (at) =>
    post(at, `/webhooks/${await webhook(at, "status = 'active'")}/resend`, { since: '2026-01-01T00:00:00Z' }),
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

/** Returns an existing user, or a new one where there is none. */
async function user(at: Setting): Promise<string> {
  const known = await at.anyOrNull('users', "status <> 'erased' and role <> 'administrator'");
  if (known !== null) return known;
  await post(at, '/users', { email: `${plainText()}@example.com`, role: 'viewer' });
  return at.any('users', "status <> 'erased'");
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

async function step(at: Setting, name: string, condition: string): Promise<Taken> {
  return post(at, `/time-off/${await at.any('time_off', condition)}/${name}`);
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

async function unit(at: Setting): Promise<Record<string, unknown>> {
  return someOf({
    code: oneOf([null, plainText()]),
    parent_id: oneOf([null, await at.anyOrNull('org_units', 'archived_at is null')]),
    head_id: oneOf([null, (await at.person()).person_id]),
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

function category(): Record<string, unknown> {
  return {
    code: oneOf([null, plainText().slice(0, 10)]),
    colour: oneOf([null, '#A1b2C3']),
    requires_approval: chance(70),
    is_standard: chance(70),
    deducts_balance: chance(80),
    counts_public_holidays: chance(50),
    annual_allowance_minutes: oneOf([null, 12_600]),
    negative_balance_minutes: oneOf([null, null, 4_500]),
  };
}

function settings(): Record<string, unknown> {
  return {
    leave_year_start: oneOf(['01-01', '04-06']),
    accrual_method: oneOf(['fixed_yearly', 'monthly', 'worked_time']),
    accrual_rounding_minutes: oneOf([1, 15]),
    carry_over_max_minutes: oneOf([0, 2_250]),
    carry_over_expires_after_days: oneOf([null, 90]),
    pending_counts: chance(50),
    holiday_region: oneOf([null, 'GB-SCT', 'DE-BY']),
  };
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
