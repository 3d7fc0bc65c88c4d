import { PeopleWriter } from '#people/record/people-writer.js';
import { findPersonValues, openValue } from '#people/custom-field-value/custom-field-value.js';
import { servicesOf } from '../../test/support/api/test-api.js';
import { testContext } from '../../test/support/command-services.js';
import type { TestDatabase } from '../../test/support/postgres.js';
import { OF_ACME, programOfAcme } from '../../test/support/program.js';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';

const { workforce, json, database, organisationId } = programOfAcme();

interface Field {
  readonly id: string;
  readonly options: readonly { readonly id: string; readonly value: string }[];
}

async function newPerson(email: string): Promise<string> {
  const { executor, store, projector, mint } = await servicesOf(database());
  const identity = { work_email: email, first_name: 'Ada', preferred_name: null, last_name: 'Byron', staff_id: null };
  const writer = new PeopleWriter({ pool: executor as TestDatabase['pool'], eventStore: store, projector, mint });
  return writer.create(testContext(organisationId()), { identity, startDate: '2026-01-01', terms: {} }, new Map());
}

/** What a person has, by the keys of the visible fields. */
async function valuesOf(personId: string): Promise<Record<string, unknown>> {
  const {
    fields,
    sealed_values: values,
    person_key: personKey,
  } = (await findPersonValues(database().pool, organisationId(), personId))!;
  return Object.fromEntries(
    fields.map(({ id, key }) => [
      key,
      values[id]?.sealed === undefined || values[id].sealed === null
        ? null
        : openValue(id, values[id].sealed, personKey),
    ]),
  );
}

const create = (key: string, type: string, ...more: readonly string[]) => [
  'custom-fields',
  'create',
  ...OF_ACME,
  '--key',
  key,
  '--label',
  key,
  '--field-type',
  type,
  ...more,
];
const update = (field: string, ...more: readonly string[]) => ['custom-fields', 'update', field, ...OF_ACME, ...more];
const set = (person: string, ...more: readonly string[]) => ['custom-fields', 'set', person, ...OF_ACME, ...more];

describe('workforce custom-fields', () => {
  it('creates, updates and lists, options and all', async () => {
    const size = await json<Field>(
      ...create(
        'shirt_size',
        'single_select',
        '--options',
        's:Small,m:Medium',
        '--api-access',
        'read_write',
        '--display-order',
        '5',
        '--description',
        'For the welcome package.',
        '--is-required',
      ),
    );
    expect(size).toMatchObject({
      id: expect.stringMatching(/^cfd_/),
      key: 'shirt_size',
      target_resource: 'person',
      field_type: 'single_select',
      sensitivity: 'operational',
      api_access: 'read_write',
      description: 'For the welcome package.',
      display_order: 5,
      is_required: true,
      options: [
        { value: 's', label: 'Small', is_retired: false },
        { value: 'm', label: 'Medium', is_retired: false },
      ],
    });
    const changed = await json<Field>(
      ...update(
        'shirt_size',
        '--option',
        'm:Middle',
        '--option',
        'l:Large: long',
        '--description',
        '',
        '--is-required',
        'false',
        '--sensitivity',
        'personal',
        '--label',
        'Size',
      ),
    );
    expect(changed).toMatchObject({
      id: size.id,
      label: 'Size',
      description: null,
      is_required: false,
      sensitivity: 'personal',
      display_order: 5,
    });
    expect(changed.options.map(({ id: _, ...rest }) => rest)).toEqual([
      { value: 'm', label: 'Middle', is_retired: false },
      { value: 'l', label: 'Large: long', is_retired: false },
      { value: 's', label: 'Small', is_retired: true },
    ]);
    expect(changed.options[0]!.id).toBe(size.options[1]!.id);
    expect(await json(...create('plain', 'text'))).toMatchObject({
      api_access: 'hidden',
      sensitivity: 'operational',
      display_order: 0,
      is_required: false,
      description: null,
      options: [],
    });
    expect(await json(...update(size.id, '--api-access', 'read'))).toMatchObject({ api_access: 'read' });
    expect((await workforce('custom-fields', 'list', ...OF_ACME)).stdout).toMatch(
      /plain +plain +text +operational +hidden +0 *\n.*shirt_size +Size +single_select +personal +read +5 +m l \(s\)/,
    );
    expect(
      (await json<{ custom_fields: readonly Field[] }>('custom-fields', 'list', ...OF_ACME)).custom_fields,
    ).toHaveLength(2);
  });

  it('sets and clears values, those that the API may not write too, and shows none', async () => {
    const personId = await newPerson('ada@example.com');
    await json(...create('note', 'text', '--api-access', 'read', '--sensitivity', 'demographic'));
    await json(...create('amount', 'number', '--api-access', 'read_write'));
    await json(...create('flag', 'boolean', '--api-access', 'read_write'));
    const done = await workforce(
      ...set('ada@example.com', '--value', 'note=a=b', '--value', 'amount=-1.5', '--value', 'flag=true'),
    );
    expect(done).toEqual({ code: 0, stderr: '', stdout: `Set note, amount, flag of Ada Byron (${personId}).\n` });
    expect(await valuesOf(personId)).toMatchObject({ note: 'a=b', amount: -1.5, flag: true });
    expect(await json(...set(personId, '--value', 'flag=false', '--clear', 'note'))).toEqual({
      person_id: personId,
      keys: ['flag', 'note'],
    });
    expect(await valuesOf(personId)).toMatchObject({ note: null, amount: -1.5, flag: false });
    for (const [pair, sentence] of [
      ['amount=many', 'amount must be a number.'],
      ['flag=yes', 'flag must be true or false.'],
      ['nothing=1', 'There is no custom field nothing: workforce custom-fields list shows all.'],
    ] as const) {
      expect(await workforce(...set(personId, '--value', pair))).toEqual({
        code: exitCodeOfSentence(sentence),
        stdout: '',
        stderr: `${sentence}\n`,
      });
    }
    expect(await valuesOf(personId)).toMatchObject({ note: null, amount: -1.5, flag: false });
  });

  it.each<[string[], string]>([
    [create('shirt_size', 'text'), 'There is a custom field shirt_size already.'],
    [create('Shirt', 'text'), '--key must be 2 to 64 small letters, digits and underscores, and begin with a letter.'],
    [create('choice', 'single_select'), '--options must have at least one option.'],
    [create('choice', 'text', '--options', 'a:A'), '--options must be left out: only single_select has options.'],
    [
      create('choice', 'single_select', '--option', 'small'),
      'small is not an option: --option takes value:Label, --options a comma-separated list of them.',
    ],
    [create('order', 'text', '--display-order', 'first'), '--display-order must be a whole number from 0 to 1000000.'],
    [update('shirt_size'), 'Nothing to change: name at least one field; --help lists them.'],
    [update('nothing', '--label', 'x'), 'There is no custom field nothing: workforce custom-fields list shows all.'],
    [
      update('shirt_size', '--sensitivity', 'operational'),
      'Personal cannot become operational: keys without people:personal:read could then read what was entered before; hide this field and make a new one.',
    ],
    [set('nobody@example.com', '--value', 'note=x'), 'There is no person nobody@example.com.'],
    [set('ada@example.com'), 'Nothing to set: name at least one --value or --clear.'],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    expect(await workforce(...parameters)).toEqual({
      code: exitCodeOfSentence(sentence),
      stdout: '',
      stderr: `${sentence}\n`,
    });
  });
});
