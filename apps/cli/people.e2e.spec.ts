import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import { findPersonalProfile } from '#people/profile/personal-profile.js';
import { findAvatar } from '#people/picture/avatar.js';
import { jpegPicture, pngPicture } from '../../test/support/pictures.js';
import { programOver, words } from '../../test/support/program.js';
import { temporaryDirectory } from '../../test/support/test-server.js';
import { testContext } from '../../test/support/command-services.js';
import { createPerson, createWorld, recordFact, type World } from '../../test/support/people/world.js';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';

const OF_ACME = ['--organisation', 'acme'];
const ADDRESS = [
  '--home-address-line-1',
  '12 Elm Grove',
  ...words('--home-address-city Bristol --home-address-country gb'),
];

let world: World;
let directory: string;
let organisationId: string;
let personId: string;

beforeAll(async () => {
  world = await createWorld();
  directory = await temporaryDirectory();
  const created = await json<{ id: string }>(
    ...words('organisations create --name Acme --subdomain acme --country GB --plan standard --time-zone UTC'),
  );
  organisationId = created.id;
  personId = await createPerson(world, organisationId, { email: 'ada@example.com' });
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await world.database.drop();
});

const { workforce, json } = programOver(() => world.database);

const profile = () => findPersonalProfile(world.pool, organisationId, personId);

async function file(name: string, bytes: Buffer): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, bytes);
  return path;
}

describe('workforce people set-personal', () => {
  it('sets what is named, clears what is empty, keeps the rest, and repeats no value', async () => {
    const set = [
      ...words(
        'people set-personal ADA@example.com --organisation acme --date-of-birth 1988-12-10 --personal-phone-number',
      ),
      '+44 7700 900123',
    ];
    const said = await workforce(...set, ...ADDRESS, '--middle-names', ' Marie  Noel ');
    expect(said).toEqual({
      code: 0,
      stdout: `Changed middle_names, date_of_birth, personal_phone_number, home_address of Ada Lovelace (${personId}).\n`,
      stderr: '',
    });
    const address = {
      address_line_1: '12 Elm Grove',
      address_line_2: null,
      address_line_3: null,
      city: 'Bristol',
      region_state: '',
      postal_code: '',
      country_code: 'GB',
    };
    expect(await profile()).toMatchObject({
      middle_names: 'Marie Noel',
      date_of_birth: '1988-12-10',
      personal_phone_number: '+44 7700 900123',
      home_address: address,
    });
    expect(await json(...set)).toEqual({ person_id: personId, changed: [] });
    const cleared = await json(
      ...words(`people set-personal ${personId} --organisation acme --middle-names`),
      '',
      '--home-address-line-1',
      '',
      '--work-phone-number',
      '',
    );
    expect(cleared).toEqual({ person_id: personId, changed: ['middle_names', 'home_address'] });
    expect(await profile()).toMatchObject({ middle_names: null, date_of_birth: '1988-12-10', home_address: null });
  });

  it.each<[string[], string]>([
    [['--date-of-birth', '2990-01-01'], '--date-of-birth must not lie in the future.'],
    [
      [...ADDRESS.slice(0, 4), '--home-address-country', 'UK'],
      '--home-address-country must be an ISO 3166-1 alpha-2 code, such as GB.',
    ],
    [
      ['--home-address-line-2', ''],
      'An address is replaced as a whole: add --home-address-line-1, --home-address-city, --home-address-country.',
    ],
    [
      ['--home-address-line-1', '', '--home-address-city', 'Bristol'],
      'An address is replaced as a whole: add --home-address-line-1, --home-address-country.',
    ],
    [[], 'Nothing to set: name at least one field; --help lists them.'],
  ])('refuses %j with one sentence and changes nothing', async (options, sentence) => {
    await changePersonalProfile(
      { store: world.eventStore, executor: world.pool, projector: world.projector, mint: world.mint },
      testContext(organisationId),
      personId,
      { middle_names: 'Before' },
    );
    const before = await profile();
    const { code, stdout, stderr } = await workforce('people', 'set-personal', personId, ...OF_ACME, ...options);
    expect({ code, stdout, stderr }).toEqual({
      code: exitCodeOfSentence(sentence),
      stdout: '',
      stderr: `${sentence}\n`,
    });
    expect(await profile()).toEqual(before);
  });

  it('does not find people of another organisation, nor a missing organisation', async () => {
    await json(
      ...words('organisations create --name Other --subdomain other --country GB --plan standard --time-zone UTC'),
    );
    const foreign = await workforce(...words(`people set-personal ${personId} --organisation other --middle-names X`));
    expect([foreign.code, foreign.stderr]).toEqual([4, `There is no person ${personId}.\n`]);
    const nowhere = await workforce(...words(`people set-personal ${personId} --organisation nobody --middle-names X`));
    expect(nowhere.stderr).toBe('There is no organisation nobody: workforce organisations list shows all.\n');
  });
});

describe('workforce people set-avatar', () => {
  it('sets the picture of a file by its content, whatever it is called, and the same one once', async () => {
    const path = await file('picture.jpg', pngPicture({ width: 64, height: 48 }));
    const byte_size = pngPicture({ width: 64, height: 48 }).length;
    const answer = { person_id: personId, content_type: 'image/png', byte_size, width_px: 64, height_px: 48 };
    expect(await json('people', 'set-avatar', 'ada@example.com', ...OF_ACME, '--file', path)).toEqual({
      ...answer,
      changed: true,
    });
    expect(await json('people', 'set-avatar', personId, ...OF_ACME, '--file', path)).toEqual({
      ...answer,
      changed: false,
    });
    expect(await findAvatar(world.pool, organisationId, personId)).toMatchObject({
      content_type: 'image/png',
      width_px: 64,
    });
    const other = await workforce(
      ...words(`people set-avatar ${personId} --organisation acme --file`),
      await file('other.png', jpegPicture(2, 3)),
    );
    expect(other.stdout).toBe(
      `Set the picture of Ada Lovelace (${personId}): image/jpeg, 2 by 3 pixels, ${jpegPicture(2, 3).length} bytes.\n`,
    );
  });

  it.each<[string, Buffer, string]>([
    ['text.png', Buffer.from('not a picture'), '--file must be a JPEG, PNG or WebP picture, whatever its name.'],
    ['large.png', Buffer.alloc(2_097_153), '--file must have at most 2097152 bytes.'],
  ])('refuses %s with one sentence', async (name, bytes, sentence) => {
    const { code, stdout, stderr } = await workforce(
      ...words(`people set-avatar ${personId} --organisation acme --file`),
      await file(name, bytes),
    );
    expect({ code, stdout, stderr }).toEqual({
      code: exitCodeOfSentence(sentence),
      stdout: '',
      stderr: `${sentence}\n`,
    });
  });

  it('reports a missing or invalid file', async () => {
    const path = join(directory, 'nothing.png');
    expect((await workforce('people', 'set-avatar', personId, ...OF_ACME, '--file', path)).stderr).toBe(
      `The file ${path} cannot be read: it does not exist.\n`,
    );
    const folder = join(directory, 'folder');
    await mkdir(folder);
    expect((await workforce('people', 'set-avatar', personId, ...OF_ACME, '--file', folder)).stderr).toBe(
      `${folder} is not a file.\n`,
    );
  });
});

describe('workforce people withdraw-fact', () => {
  it('takes an end back that was recorded by mistake, once, and says why it refuses another fact', async () => {
    const leaver = await createPerson(world, organisationId, { email: 'stays@example.com' });
    await recordFact(world, organisationId, leaver, { type: 'end', endDate: '2031-03-31' });
    const { facts } = await json<{ facts: readonly { fact_id: string }[] }>('timeline', leaver);
    const [start, end] = facts.map(({ fact_id }) => fact_id) as [string, string];
    const withdraw = (fact: string) => [
      ...words(`people withdraw-fact ${leaver} --organisation acme --fact`),
      fact,
      '--reason',
      'She stays.',
    ];
    expect(await json(...withdraw(end))).toEqual({
      person_id: leaver,
      fact_id: expect.any(String) as string,
      corrects: end,
    });
    expect(await json('people', 'show', leaver)).toMatchObject({ status: 'active', end_date: null });
    expect((await workforce('timeline', leaver)).stdout).toMatch(/ withdrawal +2031-03-31 .* She stays\. /);
    const refusals = [await workforce(...withdraw(end)), await workforce(...withdraw(start))];
    expect(refusals.map(({ stderr }) => stderr)).toEqual([
      'Was already withdrawn.\n',
      'Is the first fact of the person: correct it instead.\n',
    ]);
    expect(refusals.map(({ code }) => code)).toEqual([3, 3]);
    await json('people', 'erase', leaver, ...OF_ACME, '--yes', '--end-on', '2031-03-31');
    const { code, stderr } = await workforce(...withdraw(end));
    expect([code, stderr]).toEqual([3, 'The personal data of this person was erased.\n']);
  });
});

describe('workforce people erase', () => {
  const erase = (person: string, ...more: readonly string[]) => [
    ...words(`people erase ${person} --organisation acme --yes`),
    ...more,
  ];
  const shown = (person: string) =>
    json<{ display_name: string; status: string; end_date: string | null }>('people', 'show', person);

  it('refuses an employed person, and ends the employment if the final day is given', async () => {
    const person = await createPerson(world, organisationId, { email: 'employed@example.com' });
    const refused = await workforce(...erase(person));
    expect(refused.stderr).toBe(
      'Is active: end the employment first, or give its final day with --end-on, because it cannot be ended after the erasure.\n',
    );
    expect(await shown(person)).not.toMatchObject({ display_name: '[erased]' });
    expect((await workforce(...erase(person, '--end-on', '31.03.2031'))).stderr).toContain('--end-on must be a date');
    const done = await json(...erase(person, '--end-on', '2031-03-31'));
    expect(done).toMatchObject({ person_id: person, completed_at: expect.any(String) as string });
    expect(await shown(person)).toMatchObject({ display_name: '[erased]', status: 'ended', end_date: '2031-03-31' });
    expect(await json(...erase(person, '--end-on', '2031-03-31'))).toEqual(done);
  });

  it('goes on where it was interrupted after the end, with the same day', async () => {
    const person = await createPerson(world, organisationId, { email: 'interrupted@example.com' });
    await recordFact(world, organisationId, person, { type: 'end', endDate: '2031-03-31' });
    expect((await workforce(...erase(person, '--end-on', '2031-04-01'))).stderr).toBe(
      'Has already ended, with 2031-03-31 as the final day.\n',
    );
    expect(await json(...erase(person, '--end-on', '2031-03-31'))).toMatchObject({ person_id: person });
    expect(await shown(person)).toMatchObject({ display_name: '[erased]', end_date: '2031-03-31' });
  });
});
