/**
 * Part 6 of the contract, "Event types", family by family: the write over HTTP that emits each, as the event
 * store recorded it, and the envelope of the synthetic one. How events are delivered is tried with webhooks.
 */
import { type ApiAnswer, dataOf, expectError } from '../../support/api/http-client.js';
import { PeopleActions } from '../../support/api/people.js';
import { TestApi } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { WebhookActions } from '../../support/api/webhooks.js';
import { expectShape } from '../../support/contract/kinds.js';
import { newLabel } from '../../support/contract/labels.js';
import { personEvents, publicEvents } from '../../support/contract/public-events.js';
import { ENVELOPE } from '../../support/contract/shapes.js';

const api = TestApi.forSpec();
const own = api.organisationForSpec();
const people = new PeopleActions(own);
const timeOff = new TimeOffActions(api, own);

const send = <Data>(method: string, path: string, body?: object): Promise<ApiAnswer<Data>> =>
  own.client.send<Data>(method, path, { body });
const make = async (path: string, body: object): Promise<string> =>
  dataOf(201, await send<{ id: string }>('POST', path, body)).id;
const eventsOf = (category: string, entity: string): Promise<readonly string[]> =>
  publicEvents(api, own, [category, entity]);

it('Synthetic test | webhook.test | webhooks:manage | none: id, type, api_version, occurred_at, data with id and resource_type', async () => {
  const manager = new WebhookActions({
    client: api.client((await api.key(own.row, { scopes: ['webhooks:manage'] })).apiKey),
  });
  const { id } = await manager.create({ subscribed_events: ['webhook.test'] });
  const { payload } = await manager.test(id);
  expectShape(ENVELOPE, payload);
  expect(payload).toMatchObject({ type: 'webhook.test', api_version: 'v1', data: { id, resource_type: 'webhook' } });
});

it('People | person.created, person.updated, person.ended, person.reactivated | people:read | GET /people/{personId}', async () => {
  const { id } = await people.create({ start_date: '2024-01-01' });
  await people.identity(id, { first_name: 'Ada' });
  await people.change(id, { start_date: '2024-02-01', job_title: 'Lead' });
  await people.end(id, '2024-12-31');
  await people.reactivate(id, { start_date: '2025-06-01' });
  await people.correct(id, { start_date: '2025-06-01', job_title: 'Analyst' });
  expect(await personEvents(api, own, id)).toEqual([
    'person.created',
    'person.updated',
    'person.updated',
    'person.ended',
    'person.reactivated',
    'person.updated',
  ]);
  expect((await own.client.get(`/people/${id}`)).status).toBe(200);
});

describe('Time off | time_off.created, time_off.updated, time_off.cancelled, time_off.approved, time_off.declined | time_off:read | GET /time-off/{timeOffId}', () => {
  it.each([
    ['approve', ['time_off.approved', 'time_off.updated']],
    ['reject', ['time_off.declined', 'time_off.updated']],
    ['cancel', ['time_off.cancelled']],
  ] as const)(
    '%s: In-app approval and decline emit their specific event and also time_off.updated',
    async (step, emitted) => {
      const person_id = await timeOff.person();
      const { id } = await timeOff.create({
        person_id,
        category_id: await timeOff.category(),
        start_date: '2026-09-07',
        end_date: '2026-09-08',
      });
      dataOf(200, await timeOff.patch(id, { end_date: '2026-09-09' }));
      await timeOff.do(id, step);
      expect(await eventsOf('time-off', person_id)).toEqual(['time_off.created', 'time_off.updated', ...emitted]);
      expect((await own.client.get(`/time-off/${id}`)).status).toBe(200);
    },
  );
});

it('Time-off configuration | time_off_category.created, time_off_category.updated, time_off_category.archived | reference:read | category read', async () => {
  const id = await make('/time-off/categories', { label: newLabel() });
  dataOf(200, await send('PATCH', `/time-off/categories/${id}`, { label: newLabel() }));
  dataOf(200, await send('POST', `/time-off/categories/${id}/archive`));
  expect(await eventsOf('time-off-category', id)).toEqual([
    'time_off_category.created',
    'time_off_category.updated',
    'time_off_category.archived',
  ]);
  expect((await own.client.get(`/time-off/categories/${id}`)).status).toBe(200);
});

it('Time-off settings | time_off_settings.updated | time_off:read | GET /time-off/settings', async () => {
  dataOf(200, await send('PATCH', '/time-off/settings', { carry_over_max_minutes: 2_250 }));
  expect(await eventsOf('time-off-settings', 'settings')).toEqual(['time_off_settings.updated']);
  expect((await own.client.get('/time-off/settings')).status).toBe(200);
});

it('Org units | org_unit.created, org_unit.updated, org_unit.archived, org_unit.reactivated | org_units:read | GET /org-units/{orgUnitId}', async () => {
  const id = await make('/org-units', { name: newLabel() });
  dataOf(200, await send('PATCH', `/org-units/${id}`, { name: newLabel() }));
  dataOf(200, await send('POST', `/org-units/${id}/archive`));
  dataOf(200, await send('POST', `/org-units/${id}/reactivate`));
  expect(await eventsOf('org-unit', id)).toEqual([
    'org_unit.created',
    'org_unit.updated',
    'org_unit.archived',
    'org_unit.reactivated',
  ]);
  expect((await own.client.get(`/org-units/${id}`)).status).toBe(200);
});

it('Working patterns | working_pattern.created, working_pattern.updated, working_pattern.archived | working_patterns:read | GET /working-patterns/{workingPatternId}', async () => {
  const days = [{ week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 210 }];
  const id = await make('/working-patterns', { label: newLabel(), cycle_weeks: 1, anchor_date: '2026-01-05', days });
  dataOf(200, await send('PATCH', `/working-patterns/${id}`, { label: newLabel() }));
  dataOf(200, await send('POST', `/working-patterns/${id}/archive`));
  expect(await eventsOf('working-pattern', id)).toEqual([
    'working_pattern.created',
    'working_pattern.updated',
    'working_pattern.archived',
  ]);
  expect((await own.client.get(`/working-patterns/${id}`)).status).toBe(200);
});

it('Events are emitted for successful public API writes: a refused one emits none', async () => {
  const id = await make('/org-units', { name: newLabel() });
  expectError(await send('PATCH', `/org-units/${id}`, { name: '' }), 400, 'invalid_request', 'name');
  expectError(await send('POST', `/org-units/${id}/reactivate`), 409, 'conflict');
  expect(await eventsOf('org-unit', id)).toEqual(['org_unit.created']);
});
