import { randomUUID } from 'node:crypto';
import { type ApiAnswer, dataOf, type SendOptions } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

type OrgUnit = Schemas['OrgUnitResponse'];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

const post = (body: object, options?: SendOptions): Promise<ApiAnswer<OrgUnit>> =>
  organisation.client.post<OrgUnit>('/org-units', body, options);
const act = (id: string, action: 'archive' | 'reactivate', options?: SendOptions): Promise<ApiAnswer<OrgUnit>> =>
  organisation.client.send<OrgUnit>('POST', `/org-units/${id}/${action}`, options);
const create = async (body: object = {}): Promise<OrgUnit> =>
  dataOf(201, await post({ name: `Unit ${randomUUID()}`, ...body }));

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
