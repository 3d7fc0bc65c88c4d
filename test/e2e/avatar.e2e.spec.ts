import { randomUUID } from 'node:crypto';
import { setAvatar } from '#people/picture/avatar.api.js';
import { erasePerson } from '../support/people/erase-person.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { TestClock } from '../support/people/world.js';
import { jpegPicture, pngPicture, webpPicture } from '../support/pictures.js';
import type { Schemas } from '../support/api/shapes.js';

type Avatar = Schemas['AvatarResponse'];

const clock = new TestClock();

const api = TestApi.forSpec({ clock });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

afterEach(() => clock.go());

const set = (personId: string, bytes: Buffer, of = organisation) =>
  setAvatar(api.services, testContext(of.row.id), personId, bytes);

const avatar = async (personId: string): Promise<Avatar> =>
  dataOf(200, await organisation.client.get<Avatar>(`/people/${personId}/avatar`));

async function createPersonWith(bytes: Buffer): Promise<string> {
  const { id } = await people.create();
  await set(id, bytes);
  return id;
}

/** 404 in the envelope, as any other path that leads nowhere. */
async function expectNothing(url: string): Promise<void> {
  const answer = await fetch(url);
  const { error } = (await answer.json()) as { error: { code: string; request_id: string } };
  expect([answer.status, error.code, answer.headers.get('content-type')]).toEqual([
    404,
    'not_found',
    'application/json; charset=utf-8',
  ]);
  expect(error.request_id).toBe(answer.headers.get('service-request-id'));
}

describe('GET /people/avatars', () => {
  it('lists the pictures of the people who have one, in pages or of those named, each with a link that works', async () => {
    clock.standAt(new Date().toISOString());
    const own = await api.organisation();
    const theirs = new PeopleActions(own);
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      const { id } = await theirs.create();
      await set(id, pngPicture(), own);
      ids.push(id);
    }
    const { id: without } = await theirs.create();
    const strangers = await createPersonWith(pngPicture());
    const listed = await theirs.all<Avatar>('/people/avatars', { limit: 2 });
    expect(listed.map(({ person_id: id }) => id)).toEqual([...ids].sort());
    const { download_url: link, ...shown } = dataOf(200, await own.client.get<Avatar>(`/people/${ids[0]!}/avatar`));
    expect(listed).toContainEqual({ ...shown, download_url: expect.not.stringMatching(/^$/) as unknown });
    expect(new URL(link).pathname.split('/').slice(0, 4)).toEqual(['', 'api', 'v1', 'avatars']);
    for (const { download_url: url } of listed) expect((await fetch(url)).status).toBe(200);
    const some = await theirs.all<Avatar>('/people/avatars', {
      person_ids: [ids[1]!, without, strangers, 'nobody'].join(','),
    });
    expect(some.map(({ person_id: id }) => id)).toEqual([ids[1]!]);
    for (const wrong of ['a,,b', ',', 'a b', Array.from({ length: 201 }, () => 'a').join(',')])
      expectError(await own.client.get('/people/avatars', { person_ids: wrong }), 400, 'invalid_request', 'person_ids');
    const { apiKey } = await api.key(own.row, { scopes: ['people:read'] });
    expectError(await api.client(apiKey).get('/people/avatars'), 403, 'permission_denied');
    await erasePerson(api.services, testContext(own.row.id), { person_id: ids[1]!, reason: null });
    expect((await theirs.all<Avatar>('/people/avatars')).map(({ person_id: id }) => id)).toEqual(
      [...ids].sort().filter((id) => id !== ids[1]),
    );
  });
});

describe('GET /people/{personId}/avatar', () => {
  it.each([
    ['image/png', pngPicture({ width: 64, height: 48 })],
    ['image/jpeg', jpegPicture(64, 48)],
    ['image/webp', webpPicture(64, 48)],
  ])(
    'shows exactly the fields of the contract for %s, and a link that shows the picture without a key',
    async (contentType, bytes) => {
      clock.standAt(new Date().toISOString());
      const id = await createPersonWith(bytes);
      const shown = await avatar(id);
      expect(shown).toEqual({
        person_id: id,
        download_url: expect.stringMatching(new RegExp(`^${api.url}/api/v1/avatars/[A-Za-z0-9_-]+$`)),
        expires_at: new Date(clock.now().getTime() + 300_000).toISOString(),
        content_type: contentType,
        byte_size: bytes.length,
        width_px: 64,
        height_px: 48,
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      });
      const answer = await fetch(shown.download_url);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(answer.status).toBe(200);
      expect(
        Object.fromEntries(
          [...answer.headers].filter(
            ([name]) => !['date', 'connection', 'keep-alive', 'service-request-id'].includes(name),
          ),
        ),
      ).toEqual({
        'content-type': contentType,
        'content-length': String(bytes.length),
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'",
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-store',
      });
    },
  );

  it('keeps the bytes of the last picture alone, however many are set at once', async () => {
    const { id } = await people.create();
    await Promise.all(Array.from({ length: 6 }, (_, index) => set(id, pngPicture({ width: index + 1 }))));
    const { rows } = await api.database.pool.query(
      'select a.picture_id = b.picture_id as is_current from avatars a join avatar_pictures b using (person_id) where person_id = $1',
      [id],
    );
    expect(rows).toEqual([{ is_current: true }]);
    expect((await fetch((await avatar(id)).download_url)).status).toBe(200);
  });
});

describe('what a crash or a lost table leaves', () => {
  it('bytes that no event came to name are shown by nothing, and thrown away with the next picture', async () => {
    const { id } = await people.create();
    const insert =
      'insert into avatar_pictures (organisation_id, person_id, picture_id, sealed) values ($1, $2, $3, $4)';
    await api.database.pool.query(insert, [organisation.row.id, id, 'left-behind', Buffer.of(1)]);
    expectError(await organisation.client.get(`/people/${id}/avatar`), 404, 'not_found');
    await set(id, pngPicture());
    const { rows } = await api.database.pool.query<{ picture_id: string }>(
      'select picture_id from avatar_pictures where person_id = $1',
      [id],
    );
    expect(rows.map((row) => row.picture_id)).toEqual([expect.not.stringMatching('left-behind')]);
  });

  it('a picture whose bytes are gone is 404, and setting it again brings it back', async () => {
    const id = await createPersonWith(pngPicture());
    const { download_url: url } = await avatar(id);
    await api.database.pool.query('delete from avatar_pictures where person_id = $1', [id]);
    expectError(await organisation.client.get(`/people/${id}/avatar`), 404, 'not_found');
    await expectNothing(url);
    expect((await set(id, pngPicture())).changed).toBe(false);
    expect((await fetch((await avatar(id)).download_url)).status).toBe(200);
  });
});

describe('a link to a picture', () => {
  it('leads nowhere once the picture was replaced, or the key of the person is gone', async () => {
    const id = await createPersonWith(pngPicture());
    const { download_url: first } = await avatar(id);
    await set(id, jpegPicture());
    await expectNothing(first);
    const { download_url: second } = await avatar(id);
    expect((await fetch(second)).status).toBe(200);
    await api.database.pool.query('delete from person_keys where person_id = $1', [id]);
    await expectNothing(second);
    expectError(await organisation.client.get(`/people/${id}/avatar`), 404, 'not_found');
    await expect(set(id, pngPicture())).rejects.toMatchObject({ rejection: { kind: 'conflict' } });
  });

  it('is good for HEAD too, and for nothing else', async () => {
    const bytes = pngPicture();
    const { download_url: url } = await avatar(await createPersonWith(bytes));
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes.length),
      '',
    ]);
    const authorization = `Bearer ${organisation.apiKey}`;
    const wrong = await fetch(url, { method: 'POST', headers: { authorization, 'idempotency-key': randomUUID() } });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(401);
  });
});
