import { OF_ACME, programOfAcme, words } from '../../test/support/program.js';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';

const { workforce, json } = programOfAcme();

function create(label: string, ...more: readonly string[]) {
  return [
    ...words('locations create --organisation acme --label'),
    label,
    '--address-line-1',
    '1 Long Lane',
    ...words('--city London --country gb'),
    ...more,
  ];
}

describe('workforce locations', () => {
  it('creates, updates, deactivates, reactivates and lists', async () => {
    const created = await json<{ id: string }>(
      ...create('London office', '--postal-code', 'EC1A 9HF', '--capacity', '40', '--address-line-2', 'Third floor'),
    );
    expect(created).toMatchObject({
      id: expect.stringMatching(/^loc_/),
      label: 'London office',
      address_line_1: '1 Long Lane',
      address_line_2: 'Third floor',
      address_line_3: null,
      region_state: '',
      postal_code: 'EC1A 9HF',
      country: 'GB',
      capacity: 40,
      is_active: true,
    });
    const updated = await json(
      'locations',
      'update',
      created.id,
      ...OF_ACME,
      '--address-line-2',
      '',
      '--capacity',
      '',
      '--region-state',
      'Greater London',
    );
    expect(updated).toMatchObject({
      id: created.id,
      address_line_2: null,
      capacity: null,
      region_state: 'Greater London',
      city: 'London',
    });
    expect(await json('locations', 'deactivate', created.id, ...OF_ACME)).toMatchObject({ is_active: false });
    expect((await workforce('locations', 'list', ...OF_ACME)).stdout).toMatch(/London office +London +GB +inactive/);
    expect(await json('locations', 'reactivate', created.id, ...OF_ACME)).toMatchObject({ is_active: true });
    expect(await json('locations', 'list', ...OF_ACME)).toEqual({
      locations: [expect.objectContaining({ id: created.id, is_active: true })],
    });
    const again = await workforce(...create('london  OFFICE'));
    expect(again).toEqual({ code: 3, stdout: '', stderr: 'There is a location London office already.\n' });
  });

  it.each<[string[], string]>([
    [create('Nowhere', '--country', 'UK'), '--country must be an ISO 3166-1 alpha-2 code, such as GB.'],
    [create('Nowhere', '--capacity', 'many'), '--capacity must be a whole number from 0 to 1000000.'],
    [create(' '), '--label must not be blank.'],
    [
      ['locations', 'update', 'loc_unknown', ...OF_ACME],
      'Nothing to change: name at least one field; --help lists them.',
    ],
    [['locations', 'update', 'loc_unknown', ...OF_ACME, '--city', 'Leeds'], 'There is no such location.'],
    [
      ['locations', 'list', '--organisation', 'nobody'],
      'There is no organisation nobody: workforce organisations list shows all.',
    ],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    const { code, stderr } = await workforce(...parameters);
    expect({ code, stderr }).toEqual({ code: exitCodeOfSentence(sentence), stderr: `${sentence}\n` });
  });
});
