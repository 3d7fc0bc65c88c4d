import { expectError } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';

const TODAY = '2026-06-15';

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

/** A manager who worked until the end of May and works again from September. */
async function managerWhoLeft(): Promise<string> {
  const { id } = await people.create({ start_date: '2024-01-01' });
  await people.end(id, '2026-05-31');
  await people.reactivate(id, { start_date: '2026-09-01' });
  return id;
}

it('a manager who has left by that day cannot be assigned by any write (409)', async () => {
  const manager_id = await managerWhoLeft();
  const { client } = organisation;
  const { id } = await people.create({ start_date: '2024-01-01' });
  const create = (start_date?: string) => client.post('/people', { work_email: newEmail(), manager_id, start_date });
  expectError(await create('2026-07-01'), 409, 'conflict', 'manager_id');
  expectError(await create(), 409, 'conflict', 'manager_id');
  const change = async (start_date: string) =>
    client.patch(`/people/${id}/employment`, { start_date, manager_id }, { ifMatch: await people.employmentTag(id) });
  const correct = (start_date: string) =>
    client.post(`/people/${id}/employment-history`, { start_date, manager_id, correction_reason: 'A letter says so.' });
  for (const day of ['2026-06-01', '2026-08-31']) {
    expectError(await change(day), 409, 'conflict', 'manager_id');
    expectError(await correct(day), 409, 'conflict', 'manager_id');
  }
  await people.end(id, '2026-06-10');
  const reactivate = async (start_date: string) =>
    client.post(`/people/${id}/reactivate`, { start_date, manager_id }, { ifMatch: await people.personTag(id) });
  const refusal = await reactivate('2026-07-01');
  expectError(refusal, 409, 'conflict', 'manager_id');
  expect(refusal.text).toContain('has left by 2026-07-01: their final day is 2026-05-31');
  // On the days on which the manager works they may be.
  expect((await correct('2026-05-31')).status).toBe(201);
  expect((await reactivate('2026-09-01')).status).toBe(200);
  expect((await create('2026-05-01')).status).toBe(201);
});

it('a manager who leaves later stays with those who have them', async () => {
  const { id: manager_id } = await people.create({ start_date: '2024-01-01' });
  const { id } = await people.create({ start_date: '2024-01-01', manager_id });
  await people.end(manager_id, '2026-06-30');
  expect(await people.change(id, { start_date: '2026-07-01', job_title: 'Lead' })).toMatchObject({ job_title: null });
  expect((await people.timeline(id, { as_of: '2026-07-01' })).segment).toMatchObject({
    job_title: 'Lead',
    manager: { id: manager_id },
  });
});
