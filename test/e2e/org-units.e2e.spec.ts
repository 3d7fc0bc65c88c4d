import { randomUUID } from 'node:crypto';
import { type ApiAnswer, dataOf, expectError, type SendOptions } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

type OrgUnit = Schemas['OrgUnitResponse'];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const post = (body: object, options?: SendOptions): Promise<ApiAnswer<OrgUnit>> =>
  organisation.client.post<OrgUnit>('/org-units', body, options);
const act = (id: string, action: 'archive' | 'reactivate', options?: SendOptions): Promise<ApiAnswer<OrgUnit>> =>
  organisation.client.send<OrgUnit>('POST', `/org-units/${id}/${action}`, options);
const create = async (body: object = {}): Promise<OrgUnit> =>
  dataOf(201, await post({ name: `Unit ${randomUUID()}`, ...body }));

describe('GET /org-units', () => {
  it('lists all units by name on one page, those of this organisation alone, the archived ones included', async () => {
    const own = await api.organisation();
    const closed = dataOf(201, await own.client.post<OrgUnit>('/org-units', { name: 'Archive' }));
    await own.client.send('POST', `/org-units/${closed.id}/archive`);
    const answer = await own.client.get<readonly OrgUnit[]>('/org-units');
    expect(Object.keys(answer.json)).toEqual(['data']);
    expect(dataOf(200, answer).map(({ name, archived_at }) => [name, archived_at !== null])).toEqual([
      ['Archive', true],
      ['Engineering', false],
      ['Sales', false],
    ]);
    expectError(await own.client.get('/org-units', { limit: 1 }), 400, 'invalid_request', 'limit');
  });
});

describe('PATCH /org-units/{orgUnitId}', () => {
  it('never lets racing moves make a cycle, at two instances either', async () => {
    const clients = [organisation.client, api.client(organisation.apiKey, await api.startAnother())];
    for (let round = 0; round < 5; round += 1) {
      const units = [await create(), await create(), await create()];
      const moves = await Promise.all(
        units.map(({ id }, index) =>
          clients[index % 2]!.patch(`/org-units/${id}`, { parent_id: units[(index + 1) % 3]!.id }),
        ),
      );
      expect(moves.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    }
  });
});

describe('POST /org-units/{orgUnitId}/archive and /reactivate', () => {
  it('refuses to archive a unit with active people, until they are elsewhere or ended', async () => {
    const unit = await create();
    const [moving, leaving] = [
      await people.create({ start_date: '2024-01-01', department_id: unit.id }),
      await people.create({ start_date: '2024-01-01', department_id: unit.id }),
    ];
    const refused = await act(unit.id, 'archive');
    expectError(refused, 409, 'conflict', 'people');
    expect(refused.json.error.details).toEqual([{ field: 'people', issue: 'active people in this org unit: 2' }]);
    await people.change(moving.id, { start_date: '2024-06-01', department_id: organisation.references.department_id });
    expectError(await act(unit.id, 'archive'), 409, 'conflict', 'people');
    await people.end(leaving.id, '2024-12-31');
    expect((await act(unit.id, 'archive')).status).toBe(200);
  });

  it('refuses to archive a unit with active units below it, and to reactivate one below an archived one', async () => {
    const parent = await create();
    const child = await create({ parent_id: parent.id });
    expectError(await act(parent.id, 'archive'), 409, 'conflict', 'org_units');
    for (const { id } of [child, parent]) expect((await act(id, 'archive')).status).toBe(200);
    expectError(await act(child.id, 'reactivate'), 409, 'conflict', 'parent_id');
    for (const { id } of [parent, child]) expect((await act(id, 'reactivate')).status).toBe(200);
  });

  it('never lets a race put an active unit below an archived one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const parent = await create();
      const [archived, created] = await Promise.all([
        act(parent.id, 'archive'),
        post({ name: 'Child', parent_id: parent.id }),
      ]);
      expect([
        [200, 409],
        [409, 201],
      ]).toContainEqual([archived.status, created.status]);
    }
  });
});
