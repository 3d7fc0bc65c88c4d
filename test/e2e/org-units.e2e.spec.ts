import { randomUUID } from 'node:crypto';
import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, type SendOptions, tagOf } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';

const FIELDS = ['id', 'name', 'code', 'parent', 'head', 'archived_at', 'created_at', 'updated_at'];

interface OrgUnit {
  readonly id: string;
  readonly name: string;
  readonly code: string | null;
  readonly parent: { readonly id: string; readonly name: string } | null;
  readonly head: { readonly id: string; readonly display_name: string } | null;
  readonly archived_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const post = (body: object, options?: SendOptions): Promise<ApiAnswer<OrgUnit>> =>
  organisation.client.post<OrgUnit>('/org-units', body, options);
const patch = (id: string, body: object, options?: SendOptions): Promise<ApiAnswer<OrgUnit>> =>
  organisation.client.patch<OrgUnit>(`/org-units/${id}`, body, options);
const act = (id: string, action: 'archive' | 'reactivate', options?: SendOptions): Promise<ApiAnswer<OrgUnit>> =>
  organisation.client.send<OrgUnit>('POST', `/org-units/${id}/${action}`, options);
const read = (id: string): Promise<ApiAnswer<OrgUnit>> => organisation.client.get<OrgUnit>(`/org-units/${id}`);
const create = async (body: object = {}): Promise<OrgUnit> =>
  dataOf(201, await post({ name: `Unit ${randomUUID()}`, ...body }));
const eventsOf = async (id: string): Promise<readonly string[]> =>
  (await api.services.store.readStream(`org-unit-${organisation.row.id}.${id}`)).map(({ type }) => type);

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
    expect(Object.keys(answer.json.data[0]!)).toEqual(FIELDS);
    expectError(await own.client.get('/org-units', { limit: 1 }), 400, 'invalid_request', 'limit');
  });
});

describe('POST /org-units', () => {
  it('answers 201 with the unit, everything but the name empty', async () => {
    const answer = await post({ name: '  Legal   team ' });
    const unit = dataOf(201, answer);
    expect(Object.keys(unit)).toEqual(FIELDS);
    expect(unit).toMatchObject({
      id: expect.stringMatching(/^org_unit_/),
      name: 'Legal team',
      code: null,
      parent: null,
      head: null,
      archived_at: null,
    });
    const shown = await read(unit.id);
    expect([shown.text, tagOf(shown)]).toEqual([answer.text, tagOf(answer)]);
    expect(await eventsOf(unit.id)).toEqual(['OrgUnitCreated']);
  });

  it('takes a code, a parent and a head, and shows both by id and name', async () => {
    const head = await people.create({ first_name: 'Grace', last_name: 'Hopper' });
    const parent = await create({ name: 'Technology' });
    expect(await create({ name: 'Platform', code: 'PLT', parent_id: parent.id, head_id: head.id })).toMatchObject({
      code: 'PLT',
      parent: { id: parent.id, name: 'Technology' },
      head: { id: head.id, display_name: 'Grace Hopper' },
    });
  });

  it.each<[string, object]>([
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: ' ' }],
    ['name', { name: null }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 'a\u0007b' }],
    ['code', { name: 'X', code: 7 }],
    ['parent_id', { name: 'X', parent_id: 7 }],
    ['archived_at', { name: 'X', archived_at: null }],
  ])('answers 400 and names %s for %j', async (field, body) => {
    expectError(await post(body), 400, 'invalid_request', field);
  });
});

describe('GET /org-units/{orgUnitId}', () => {
  it("shows today's names of the parent and the head", async () => {
    const [parent, head] = [await create({ name: 'Before' }), await people.create({ first_name: 'Ada' })];
    const unit = await create({ parent_id: parent.id, head_id: head.id });
    await patch(parent.id, { name: 'After' });
    await people.identity(head.id, { first_name: 'Augusta' });
    expect(dataOf(200, await read(unit.id))).toMatchObject({
      parent: { name: 'After' },
      head: { display_name: 'Augusta' },
    });
  });
});

describe('PATCH /org-units/{orgUnitId}', () => {
  it('changes what is named, leaves the rest, and clears with null', async () => {
    const unit = await create({ name: 'Old', code: 'O', parent_id: (await create()).id });
    expect(dataOf(200, await patch(unit.id, { name: 'New' }))).toMatchObject({
      name: 'New',
      code: 'O',
      parent: unit.parent,
    });
    expect(dataOf(200, await patch(unit.id, { code: null, parent_id: null }))).toMatchObject({
      name: 'New',
      code: null,
      parent: null,
    });
    expect(await eventsOf(unit.id)).toEqual(['OrgUnitCreated', 'OrgUnitChanged', 'OrgUnitChanged']);
  });

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
  it('archives and reactivates, each with its event, and refuses the state that the unit is in', async () => {
    const unit = await create();
    expectError(await act(unit.id, 'reactivate'), 409, 'conflict', 'archived_at');
    const archived = await act(unit.id, 'archive');
    expect(dataOf(200, archived).archived_at).toBe(archived.json.data.updated_at);
    expect((await read(unit.id)).text).toBe(archived.text);
    expectError(await act(unit.id, 'archive'), 409, 'conflict', 'archived_at');
    expect(dataOf(200, await act(unit.id, 'reactivate')).archived_at).toBeNull();
    expect(await eventsOf(unit.id)).toEqual(['OrgUnitCreated', 'OrgUnitArchived', 'OrgUnitReactivated']);
  });

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

  it('keeps an archived unit from new people', async () => {
    const unit = await create();
    await act(unit.id, 'archive');
    expectError(
      await organisation.client.post('/people', { work_email: 'a@example.com', department_id: unit.id }),
      409,
      'conflict',
      'department_id',
    );
  });
});
