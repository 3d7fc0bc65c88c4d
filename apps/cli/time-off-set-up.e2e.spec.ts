import { OF_ACME, programOfAcme, words } from '../../test/support/program.js';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';

const { workforce, json } = programOfAcme();

describe('workforce time-off-categories', () => {
  it('lists what a new organisation begins with', async () => {
    const { categories } = await json<{ categories: { label: string; paid: boolean }[] }>(
      'time-off-categories',
      'list',
      ...OF_ACME,
    );
    expect(categories.map(({ label }) => label)).toEqual([
      'Annual leave',
      'Compassionate leave',
      'Parental leave',
      'Sick leave',
      'Unpaid leave',
    ]);
    expect(categories.filter(({ paid }) => !paid).map(({ label }) => label)).toEqual(['Unpaid leave']);
  });

  it('creates, updates by label, archives and lists', async () => {
    const fields = [
      ...words('--code TR --colour #00FF00 --unit hours --requires-approval no --annual-allowance-minutes 2250'),
    ];
    const created = await json<{ id: string }>(
      ...words('time-off-categories create --organisation acme --label Training'),
      ...fields,
    );
    expect(created).toMatchObject({
      id: expect.stringMatching(/^toc_/),
      label: 'Training',
      code: 'TR',
      colour: '#00ff00',
      unit: 'hours',
      requires_approval: false,
      annual_allowance_minutes: 2_250,
      negative_balance_minutes: null,
      is_active: true,
    });
    const updated = await json(
      ...words('time-off-categories update training --organisation acme --annual-allowance-minutes'),
      '',
      '--code',
      '',
      '--paid',
      'no',
    );
    expect(updated).toMatchObject({
      id: created.id,
      code: null,
      annual_allowance_minutes: null,
      paid: false,
      unit: 'hours',
    });
    expect(await json('time-off-categories', 'archive', created.id, ...OF_ACME)).toMatchObject({
      id: created.id,
      is_active: false,
    });
    expect((await workforce('time-off-categories', 'list', ...OF_ACME)).stdout).toMatch(
      /Training +hours +none +archived/,
    );
  });

  it.each<[string[], string]>([
    [['create', '--label', 'annual LEAVE'], 'Another active time-off category has this label.'],
    [['create', '--label', ' '], '--label must not be blank.'],
    [['create', '--label', 'X', '--colour', 'red'], '--colour must be a colour as #rrggbb.'],
    [
      ['create', '--label', 'X', '--annual-allowance-minutes', 'many'],
      '--annual-allowance-minutes must be a whole number from 0 to 525600.',
    ],
    [['update', 'Sick leave'], 'Nothing to change: name at least one option; --help lists them.'],
    [
      ['update', 'Nothing', '--paid', 'no'],
      'There is no time-off category Nothing: workforce time-off-categories list shows all.',
    ],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    const { code, stderr } = await workforce('time-off-categories', ...parameters, ...OF_ACME);
    expect({ code, stderr }).toEqual({ code: exitCodeOfSentence(sentence), stderr: `${sentence}\n` });
  });
});

describe('workforce time-off-settings', () => {
  it('shows the defaults, sets and shows what was set', async () => {
    expect(await json('time-off-settings', 'show', ...OF_ACME)).toMatchObject({
      leave_year_start: '01-01',
      accrual_method: 'fixed_yearly',
      holiday_region: 'GB',
    });
    const options = [
      ...words(
        '--leave-year-start 04-06 --accrual-method monthly --pending-counts no --holiday-region gb-eng --carry-over-expires-after-days 90',
      ),
    ];
    const set = await json('time-off-settings', 'set', ...OF_ACME, ...options);
    expect(set).toEqual({
      leave_year_start: '04-06',
      accrual_method: 'monthly',
      accrual_rounding_minutes: 1,
      carry_over_max_minutes: 0,
      carry_over_expires_after_days: 90,
      pending_counts: false,
      holiday_region: 'GB-ENG',
      updated_at: expect.any(String),
    });
    expect(await json('time-off-settings', 'show', ...OF_ACME)).toEqual(set);
    expect(
      await json('time-off-settings', 'set', ...OF_ACME, '--holiday-region', '', '--carry-over-expires-after-days', ''),
    ).toMatchObject({ holiday_region: 'GB', carry_over_expires_after_days: null });
    expect((await workforce('time-off-settings', 'show', ...OF_ACME)).stdout).toMatch(/leave_year_start +04-06/);
  });

  it.each<[string[], string]>([
    [['--leave-year-start', '02-29'], '--leave-year-start must be a day that every year has: take 02-28 or 03-01.'],
    [['--accrual-rounding-minutes', '0'], '--accrual-rounding-minutes must be a whole number from 1 to 1440.'],
    [
      ['--holiday-region', 'Mars'],
      '--holiday-region must be a country or a part of one with known holidays, such as GB or GB-ENG.',
    ],
    [[], 'Nothing to change: name at least one option; --help lists them.'],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    const { code, stderr } = await workforce('time-off-settings', 'set', ...OF_ACME, ...parameters);
    expect({ code, stderr }).toEqual({ code: exitCodeOfSentence(sentence), stderr: `${sentence}\n` });
  });
});

describe('workforce public-holidays', () => {
  const on = async (date: string): Promise<unknown> => {
    const { holidays } = (await json('public-holidays', 'list', ...OF_ACME, '--year', date.slice(0, 4))) as {
      holidays: readonly { readonly date: string }[];
    };
    return holidays.filter((holiday) => holiday.date === date);
  };

  it('adds a half day, removes a day of the library, and takes both back', async () => {
    const added = {
      date: '2027-12-24',
      name: 'Christmas Eve',
      day_part: 'afternoon',
      kind: 'organisation',
      is_counted: true,
    };
    const add = ['add', '2027-12-24', '--name', 'Christmas Eve', '--day-part', 'afternoon'];
    expect(await json('public-holidays', ...add, ...OF_ACME)).toMatchObject({ holidays: [added] });
    expect(await on('2027-12-24')).toMatchObject([added]);
    expect(await json('public-holidays', 'remove', '2027-03-26', ...OF_ACME)).toMatchObject({
      holidays: [{ name: 'Good Friday', kind: 'public', is_counted: false }],
    });
    expect(await on('2027-03-26')).toEqual([]);
    expect((await workforce('public-holidays', 'list', ...OF_ACME, '--year', '2027', '--all')).stdout).toMatch(
      /2027-03-26 +full +Good Friday +public +working day/,
    );
    expect((await workforce('public-holidays', 'restore', '2027-12-24', ...OF_ACME)).stdout).toBe(
      '2027-12-24 is a working day.\n',
    );
    await json('public-holidays', 'restore', '2027-03-26', ...OF_ACME);
    expect(await on('2027-03-26')).toMatchObject([{ name: 'Good Friday' }]);
  });

  it.each<[string[], string]>([
    [['remove', '2027-03-17'], 'This day is no public holiday of the organisation.'],
    [['add', '2027-02-30', '--name', 'X'], 'The day must exist, and lie from 1900-01-01 to 2100-12-31.'],
    [['list', '--year', '1800'], '--year must be a whole number from 1900 to 2100.'],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    const { code, stderr } = await workforce('public-holidays', ...parameters, ...OF_ACME);
    expect({ code, stderr }).toEqual({ code: exitCodeOfSentence(sentence), stderr: `${sentence}\n` });
  });
});
