import { rebuild } from '#projections/rebuild/rebuild.js';
import { setAvatar } from '#people/picture/avatar.api.js';
import { avatarProjection } from '#people/picture/avatar.js';
import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import { personalProfileProjection } from '#people/profile/personal-profile.js';
import type { PersonalProfile } from '#people/profile/personal-profile.rules.js';
import { operationsOf } from '../support/api/document-walk.js';
import { type LoggedInstance, startLogged } from '../support/api/logged-instance.js';
import { formsOf } from '../support/api/markers.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { allReadable } from '../support/postgres.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { pngPicture } from '../support/pictures.js';

const PICTURE_MARKER = 'Marker-in-the-picture-itself';
const PROFILE: PersonalProfile = {
  middle_names: 'Marker-Middle-Names',
  date_of_birth: '1931-07-19',
  personal_email: 'marker.private@marker.example',
  personal_phone_number: '+44 7700 918273',
  work_phone_number: '+44 117 918 2736',
  home_address: {
    address_line_1: 'Marker Lane 1',
    address_line_2: 'Marker Floor 2',
    address_line_3: 'Marker Door 3',
    city: 'Markerville',
    region_state: 'Markershire',
    // Long enough that no form of it turns up in a random id by chance.
    postal_code: 'MARKER98 7ZX',
    country_code: 'LI',
  },
};
const { country_code: _, ...lines } = PROFILE.home_address!;
const MARKERS: readonly string[] = [
  ...Object.values(PROFILE).filter((value) => typeof value === 'string'),
  ...Object.values(lines).map(String),
];
/** What reads of the two routes themselves may show. */
const OWN_ROUTES = new Set(['getPersonalProfile', 'getAvatar']);

let api: TestApi;
let organisation: TestOrganisation;
let logged: LoggedInstance;
let personId: string;

beforeAll(async () => {
  api = await TestApi.start();
  organisation = await api.organisation();
  personId = (await new PeopleActions(organisation.client).create()).id;
  logged = await startLogged(api);
  await changePersonalProfile(api.services, testContext(organisation.row.id), personId, PROFILE);
  await setAvatar(api.services, testContext(organisation.row.id), personId, pngPicture({ pixels: PICTURE_MARKER }));
});

afterAll(async () => {
  await logged.stop();
  await api.stop();
});

const FORMS = [...MARKERS, PICTURE_MARKER].flatMap(formsOf);

function expectNoMarker(text: string, where: string): void {
  expect([where, FORMS.filter((form) => text.includes(form))]).toEqual([where, []]);
}

const ask = (path: string, options: RequestInit = {}): Promise<Response> =>
  fetch(`${logged.url}/api/v1${path}`, {
    ...options,
    headers: { authorization: `Bearer ${organisation.apiKey}`, ...options.headers },
  });

it('the markers are really there, for those who may read them', async () => {
  const shown = await (await ask(`/people/${personId}/personal`)).text();
  for (const marker of MARKERS) expect(shown).toContain(marker);
  const { download_url: url } = dataOf(
    200,
    await organisation.client.get<{ download_url: string }>(`/people/${personId}/avatar`),
  );
  expect(await (await fetch(url)).text()).toContain(PICTURE_MARKER);
});

it('nothing of a profile or a picture rests in the clear in any table, the events least of all', async () => {
  await allReadable(api.database.pool);
  for (const projection of [personalProfileProjection, avatarProjection]) {
    const result = await rebuild(
      { pool: api.database.pool, eventStore: api.services.store, clock: { now: () => new Date() } },
      projection,
    );
    expect([result.rows, result.differences]).toEqual([1, 0]);
  }
  const { rows: tables } = await api.database.pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['events', 'personal_profiles', 'avatars', 'avatar_pictures', 'idempotency_receipts']),
  );
  for (const { name } of tables) {
    const { rows } = await api.database.pool.query<{ text: string | null }>(
      `select string_agg(t::text, chr(10)) as text from ${name} t`,
    );
    expectNoMarker(rows[0]!.text ?? '', name);
  }
});

it('no other route answers with any of it, whatever scopes a key has, nor does a refusal repeat it', async () => {
  let asked = 0;
  for (const { method, template, operation } of operationsOf(api.check.document)) {
    if (method !== 'GET' || OWN_ROUTES.has(operation.operationId) || /\{(?!personId)/.test(template)) continue;
    const answer = await ask(template.replace('{personId}', personId));
    asked += answer.status === 200 ? 1 : 0;
    expectNoMarker(await answer.text(), template);
  }
  expect(asked).toBeGreaterThan(10);
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'leaks', 'if-match': '"x"' };
  const refusals = [
    await ask(`/people/${personId}`, { method: 'PATCH', headers, body: JSON.stringify(PROFILE) }),
    await ask(`/people/${personId}/personal`, { method: 'PATCH', headers, body: JSON.stringify(PROFILE) }),
    await ask('/people', {
      method: 'POST',
      headers,
      body: JSON.stringify({ work_email: 'someone@example.com', ...PROFILE }),
    }),
    await ask(`/people/${personId}/personal?marker=${encodeURIComponent(PROFILE.middle_names!)}`),
  ];
  for (const answer of refusals) {
    expect([400, 405]).toContain(answer.status);
    expectNoMarker(await answer.text(), answer.url);
  }
});

it('no line of the log has any of it, nor a link, also where a stored value is broken', async () => {
  const { download_url: url } = dataOf(
    200,
    await organisation.client.get<{ download_url: string }>(`/people/${personId}/avatar`),
  );
  const token = url.split('/').at(-1)!;
  expect((await fetch(`${logged.url}/api/v1/avatars/${token}`)).status).toBe(200);
  expect((await fetch(`${logged.url}/api/v1/avatars/${token}x`)).status).toBe(404);
  await api.database.pool.query(
    'update personal_profiles set middle_names = date_of_birth, personal_email = $2 where person_id = $1',
    [personId, 'AQ=='],
  );
  const broken = await ask(`/people/${personId}/personal`);
  expect(broken.status).toBe(500);
  expectNoMarker(await broken.text(), 'a broken value');
  expect(logged.said()).toContain('a request failed');
  expectNoMarker(logged.said(), 'the log');
  expect(logged.said()).not.toContain(token.slice(0, 40));
});
