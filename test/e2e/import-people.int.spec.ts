import { commandOrgUnit, findOrCreateOrgUnits } from '#organisation/org-unit/org-unit.api.js';
import { contextOf, newOrganisation, newPerson, worldForSpec } from '../support/people/world.js';
import {
  changesOf,
  counts,
  everythingWritten,
  factsOf,
  importLines,
  type ImportOptions,
  peopleOf,
  titlesOf,
  warningsOf,
} from './import-support.js';

const world = worldForSpec();
let organisation: string;

beforeEach(async () => {
  organisation = await newOrganisation(world);
});

const people = (lines: readonly string[], options: ImportOptions = {}): ReturnType<typeof importLines> =>
  importLines(world, organisation, 'people', lines, options);

describe('an import of people', () => {
  const FILE = [
    'work_email,staff_id,first_name,last_name,start_date,end_date,job_title,department,manager',
    'ada@example.com,1,Ada,Lovelace,2020-01-01,,Engineer,Research,grace@example.com',
    'Grace@example.com,2,Grace,Hopper,2019-01-01,,Admiral,Navy,',
    'alan@example.com,3,Alan,Turing,2020-02-01,2024-06-30,Engineer,research,1',
  ];

  it('creates everybody with what the rows say, whatever the order of managers and lines', async () => {
    expect(await people(FILE, { createMissing: true })).toEqual(counts({ created: 3 }));
    const everybody = await peopleOf(world, organisation);
    expect(everybody.get('ada@example.com')).toMatchObject({
      manager_email: 'Grace@example.com',
      department: 'Research',
      status: 'active',
      start_date: '2020-01-01',
      display_name: 'Ada Lovelace',
    });
    expect(everybody.get('alan@example.com')).toMatchObject({
      manager_email: 'ada@example.com',
      department: 'Research',
      status: 'ended',
      end_date: '2024-06-30',
    });
    expect(await titlesOf(world, organisation, 'alan@example.com')).toEqual(['2020-02-01 Engineer', '2024-07-01 -']);
  });

  it('changes nothing when it is repeated', async () => {
    await people(FILE, { createMissing: true });
    const before = await everythingWritten(world);
    expect(await people(FILE)).toEqual(counts({ unchanged: 3 }));
    expect(await everythingWritten(world)).toEqual(before);
  });

  it('tells in a dry run what a run would do, and writes nothing', async () => {
    const before = await everythingWritten(world);
    expect(await people(FILE, { createMissing: true, dryRun: true })).toEqual(counts({ created: 3 }));
    expect((await people(FILE, { dryRun: true })).problems).toEqual([
      { line: 2, field: 'department', issue: 'there is no such org unit: Research' },
      { line: 3, field: 'department', issue: 'there is no such org unit: Navy' },
      { line: 4, field: 'department', issue: 'there is no such org unit: research' },
    ]);
    expect(await everythingWritten(world)).toEqual(before);
  });

  it('imports the good rows and reports everything that is wrong with the others', async () => {
    const result = await people([
      'work_email,start_date,end_date,contracted_weekly_minutes,manager,staff_id',
      'good@example.com,2020-01-01,,2250,,7',
      'no address,2020-13-01,,lots,,',
      ',2020-01-01,,,,',
      'GOOD@example.com,2020-01-01,,,,',
      'early@example.com,2020-01-01,2019-12-31,,,',
      'lost@example.com,,,,nobody@example.com,',
      'twin@example.com,,,,,7',
      'unsure@example.com,,,,7,',
      'short@example.com',
    ]);
    expect(result).toMatchObject({ created: 0, failed: 9 });
    expect(result.problems).toEqual(
      [
        { line: 2, field: 'work_email', issue: 'is also on line 5: a file may contain it once' },
        { line: 2, field: 'staff_id', issue: 'is also on line 8: a file may contain it once' },
        { line: 3, field: 'work_email', issue: 'must be an e-mail address' },
        { line: 3, field: 'start_date', issue: 'must be a date that exists, written YYYY-MM-DD' },
        { line: 3, field: 'contracted_weekly_minutes', issue: 'must be a whole number' },
        { line: 4, field: 'work_email', issue: 'is required' },
        { line: 5, field: 'work_email', issue: 'is also on line 2: a file may contain it once' },
        { line: 6, field: 'end_date', issue: 'lies before the start of the period on 2020-01-01' },
        { line: 7, field: 'manager', issue: 'there is no such person: nobody@example.com' },
        { line: 8, field: 'staff_id', issue: 'is also on line 2: a file may contain it once' },
        { line: 9, field: 'manager', issue: 'several people have the staff_id 7: use an e-mail address or an id' },
        { line: 10, field: 'row', issue: 'has 1 cells, and the header has 6' },
      ].map((problem) => expect.objectContaining(problem)),
    );
    expect([...(await peopleOf(world, organisation)).keys()]).toEqual([]);
  });

  it('refuses cycles of managers on their lines, and whoever stands below a refused row', async () => {
    const result = await people([
      'work_email,manager,end_date,start_date',
      'a@example.com,b@example.com,,',
      'b@example.com,c@example.com,,',
      'c@example.com,a@example.com,,',
      'below@example.com,a@example.com,,',
      'self@example.com,self@example.com,,',
      'bad@example.com,,2019-01-01,2020-01-01',
      'report@example.com,bad@example.com,,',
      'fine@example.com,,,',
    ]);
    const cycle = 'would make a cycle: this person manages that manager, directly or through others';
    expect(result).toMatchObject({ created: 1, failed: 7 });
    expect(result.problems.map(({ line, issue }) => `${line} ${issue}`)).toEqual([
      `2 ${cycle}`,
      `3 ${cycle}`,
      `4 ${cycle}`,
      "5 the manager's own row, on line 2, is refused",
      '6 a person may not be their own manager',
      '7 lies before the start of the period on 2020-01-01',
      "8 the manager's own row, on line 7, is refused",
    ]);
  });

  it('refuses whoever would come to be in an archived department, and whoever stands below them, and goes on where it is back', async () => {
    const services = { store: world.eventStore, executor: world.pool, projector: world.projector, mint: world.mint };
    const context = () => contextOf(organisation, { today: '2026-01-01' });
    const { id } = (await findOrCreateOrgUnits(services, context(), ['Navy'])).get('navy')!;
    await commandOrgUnit(services, context(), id, { type: 'archive' });
    const lines = [
      'work_email,start_date,department,manager',
      'ada@example.com,2026-01-01,,grace@example.com',
      'grace@example.com,2026-01-01,Navy,',
      'alan@example.com,2026-01-01,,',
    ];
    const problems = [
      { line: 2, field: 'manager', issue: "the manager's own row, on line 3, is refused" },
      { line: 3, field: 'department', issue: 'this org unit is archived' },
    ];
    for (const dryRun of [true, false])
      expect(await people(lines, { dryRun })).toEqual(counts({ created: 1, failed: 2, problems }));
    await commandOrgUnit(services, context(), id, { type: 'reactivate' });
    expect(await people(lines)).toEqual(counts({ created: 2, unchanged: 1 }));
  });

  it('refuses a manager who has left by the day from which the row makes them one', async () => {
    await people(['work_email,start_date,end_date', 'grace@example.com,2019-01-01,2021-12-31']);
    const row = (startDate: string) => [
      'work_email,start_date,manager',
      `ada@example.com,${startDate},grace@example.com`,
    ];
    const problems = [{ line: 2, field: 'manager', issue: expect.stringMatching(/left|employed/) as string }];
    expect(await people(row('2022-01-01'))).toEqual(counts({ failed: 1, problems }));
    expect(await people(row('2021-12-31'))).toEqual(counts({ created: 1 }));
  });

  it('refuses a manager who is managed by the person already, also where both changes come with one file', async () => {
    await people([
      'work_email,start_date,manager',
      'a@example.com,2020-01-01,',
      'b@example.com,2020-01-01,',
      'c@example.com,2020-01-01,b@example.com',
    ]);
    const lines = ['work_email,manager', 'a@example.com,c@example.com', 'b@example.com,a@example.com'];
    for (const dryRun of [true, false]) {
      const result = await people(lines, { dryRun, effectiveDate: '2020-01-01' });
      expect(result).toMatchObject({ changed: 1, failed: 1 });
      expect(result.problems).toEqual([
        {
          line: 3,
          field: 'manager',
          issue: 'would make a cycle: this person manages that manager, directly or through others',
        },
      ]);
    }
  });
});

describe('a row of somebody who exists', () => {
  beforeEach(() => people(['work_email,first_name,start_date,job_title', 'ada@example.com,Ada,2020-01-01,Engineer']));

  it('changes what differs of their identity, once', async () => {
    const lines = ['work_email,first_name,preferred_name', 'ADA@example.com,Augusta,Ada'];
    expect(await people(lines)).toEqual(counts({ changed: 1 }));
    expect(await people(lines)).toEqual(counts({ unchanged: 1 }));
    expect((await peopleOf(world, organisation)).get('ADA@example.com')).toMatchObject({
      display_name: 'Ada',
      job_title: 'Engineer',
    });
  });

  it('changes terms from their effective date on, never before it, once, and says before and after', async () => {
    await importLines(world, organisation, 'history', [
      'work_email,start_date,job_title',
      'ada@example.com,2022-01-01,Senior',
    ]);
    const lines = ['work_email,start_date,job_title,effective_date', 'ada@example.com,2020-01-01,Lead,2025-12-01'];
    const before = await everythingWritten(world);
    expect(await people(lines, { dryRun: true })).toEqual(counts({ changed: 1 }));
    expect(changesOf(world)).toEqual(['ada@example.com job_title: Senior -> Lead from 2025-12-01']);
    expect(await everythingWritten(world)).toEqual(before);
    expect(await people(lines)).toEqual(counts({ changed: 1 }));
    expect(changesOf(world)).toEqual(['ada@example.com job_title: Senior -> Lead from 2025-12-01']);
    expect(await people(lines)).toEqual(counts({ unchanged: 1 }));
    expect(changesOf(world)).toEqual([]);
    const titles = ['2020-01-01 Engineer', '2022-01-01 Senior', '2025-12-01 Lead'];
    expect(await titlesOf(world, organisation, 'ada@example.com')).toEqual(titles);
    expect(await factsOf(world, organisation, 'ada@example.com')).toEqual([
      'start 2020-01-01',
      'change 2022-01-01',
      'change 2025-12-01',
    ]);
  });

  it('takes one effective date for the whole file, which new people do not need', async () => {
    const lines = [
      'work_email,start_date,job_title,department,manager,effective_date',
      'ada@example.com,2020-01-01,Lead,Research,new@example.com,',
      'new@example.com,2024-05-01,Head,,,',
      'moved@example.com,2020-01-01,Lead,,,2023-01-01',
    ];
    const options = { effectiveDate: '2025-12-01', createMissing: true };
    for (const dryRun of [true, false]) {
      expect(await people(lines, { ...options, dryRun })).toEqual(counts({ created: 2, changed: 1 }));
      expect(changesOf(world)).toEqual([
        'ada@example.com job_title: Engineer -> Lead from 2025-12-01',
        'ada@example.com department: none -> Research from 2025-12-01',
        'ada@example.com manager: none -> the person of line 3 from 2025-12-01',
      ]);
    }
    expect(await people(lines, options)).toEqual(counts({ unchanged: 3 }));
    expect(await titlesOf(world, organisation, 'new@example.com')).toEqual(['2024-05-01 Head']);
    expect(await titlesOf(world, organisation, 'moved@example.com')).toEqual(['2020-01-01 none', '2023-01-01 Lead']);
    expect(
      await people(['work_email,department', 'ada@example.com,Sales'], {
        effectiveDate: '2025-12-15',
        createMissing: true,
      }),
    ).toEqual(counts({ changed: 1 }));
    expect(changesOf(world)).toEqual(['ada@example.com department: Research -> Sales from 2025-12-15']);
  });

  it('is refused where its terms differ from those of today and no day says from when', async () => {
    await importLines(world, organisation, 'history', [
      'work_email,start_date,job_title',
      'ada@example.com,2022-01-01,Senior',
    ]);
    const before = await everythingWritten(world);
    for (const dryRun of [true, false]) {
      const result = await people(['work_email,start_date,job_title', 'ada@example.com,2020-01-01,Lead'], { dryRun });
      expect(result).toMatchObject({ changed: 0, failed: 1 });
      expect(result.problems).toEqual([
        {
          line: 2,
          field: 'effective_date',
          issue: expect.stringMatching(/^is required to change terms .* for the whole file \(job_title\)$/),
        },
      ]);
    }
    expect(await everythingWritten(world)).toEqual(before);
    expect(await people(['work_email,start_date,job_title', 'ada@example.com,2020-01-01,Senior'])).toEqual(
      counts({ unchanged: 1 }),
    );
  });

  it('is refused where it would rewrite days before a recorded change, or days without employment', async () => {
    const record = (...lines: readonly string[]) =>
      importLines(world, organisation, 'history', ['work_email,action,start_date,end_date,job_title', ...lines]);
    await record('ada@example.com,change,2022-01-01,,Senior', 'ada@example.com,change,2027-01-01,,Principal');
    const terms = (day: string): ReturnType<typeof people> =>
      people(['work_email,job_title,effective_date', `ada@example.com,Lead,${day}`], { dryRun: true });
    expect((await terms('2021-01-01')).problems).toEqual([
      {
        line: 2,
        field: 'effective_date',
        issue: expect.stringContaining('lies before a change that is recorded on 2022-01-01 (job_title)'),
      },
    ]);
    expect((await terms('2019-01-01')).problems).toMatchObject([{ line: 2, field: 'effective_date' }]);
    // A change that is planned for later does not stand in the way, and stays.
    expect(await terms('2026-01-01')).toEqual(counts({ changed: 1 }));
    await record('ada@example.com,end,,2025-06-30,');
    expect((await terms('2025-12-01')).problems).toMatchObject([{ line: 2, field: 'effective_date' }]);
    expect((await terms('2024-12-01')).problems).toMatchObject([{ line: 2, field: 'effective_date' }]);
  });

  it('is refused where its hire date is another one, also after the recorded one was corrected', async () => {
    for (const day of ['2019-01-01', '2020-01-02']) {
      const { problems } = await people(['work_email,start_date,effective_date', `ada@example.com,${day},2025-01-01`]);
      const issue = 'differs from the recorded hire date, 2020-01-01: an import of people never moves a hire date';
      expect(problems).toEqual([{ line: 2, field: 'start_date', issue }]);
    }
    const early = await people([
      'work_email,start_date,effective_date,job_title',
      'new@example.com,2025-01-01,2024-12-31,Lead',
    ]);
    expect(early.problems).toEqual([
      { line: 2, field: 'effective_date', issue: 'lies before the start_date, 2025-01-01' },
    ]);
  });

  it('ends them on the final day, once, and is refused where they ended on another', async () => {
    const lines = ['work_email,end_date', 'ada@example.com,2023-05-31'];
    expect(await people(lines)).toEqual(counts({ changed: 1 }));
    expect(await people(lines)).toEqual(counts({ unchanged: 1 }));
    expect((await people(['work_email,end_date', 'ada@example.com,2023-06-30'])).problems).toEqual([
      { line: 2, field: 'end_date', issue: 'has already ended, with 2023-05-31 as the final day' },
    ]);
  });

  it('gives a first day to somebody whose start had none', async () => {
    await people(['work_email,job_title', 'grace@example.com,Admiral']);
    const lines = ['work_email,job_title,start_date', 'grace@example.com,Admiral,2021-05-01'];
    expect(await people(lines)).toEqual(counts({ changed: 1 }));
    expect(await people(lines)).toEqual(counts({ unchanged: 1 }));
    expect(await titlesOf(world, organisation, 'grace@example.com')).toEqual(['2021-05-01 Admiral']);
  });

  it('is not taken for a new person where their address is another one today', async () => {
    const { person_id: personId } = (await peopleOf(world, organisation)).get('ada@example.com')!;
    const { rows } = await world.pool.query<{ key: Buffer }>(
      'select key from person_keys where organisation_id = $1 and person_id = $2',
      [organisation, personId],
    );
    await world.writer.changeIdentity(
      contextOf(organisation, { today: '2026-01-01' }),
      personId,
      rows[0]!.key,
      { work_email: 'ada.king@example.com' },
      () => undefined,
    );
    expect((await people(['work_email', 'ada@example.com'])).problems).toMatchObject([
      { line: 2, field: 'work_email' },
    ]);
    expect(await people(['work_email', 'ada.king@example.com'])).toEqual(counts({ unchanged: 1 }));
  });
});

describe('a row with the staff_id of somebody who exists', () => {
  const MARRIED = ['work_email,staff_id,first_name,last_name', 'ada.king@example.com,A-1,Ada,King'];

  beforeEach(() =>
    people([
      'work_email,staff_id,first_name,last_name',
      'ada@example.com,A-1,Ada,Byron',
      'grace@example.com,A-2,Grace,Hopper',
    ]),
  );

  it('is refused, as perhaps the same person, until it is said how people are matched', async () => {
    for (const dryRun of [true, false]) {
      const result = await people(MARRIED, { dryRun });
      expect(result).toMatchObject({ created: 0, failed: 1 });
      expect(result.problems).toMatchObject([
        {
          line: 2,
          field: 'staff_id',
          issue: expect.stringContaining('is the staff_id of ada@example.com: choose with match_by'),
        },
      ]);
    }
    const swapped = await people(['work_email,staff_id', 'grace@example.com,A-1']);
    expect(swapped.problems).toMatchObject([{ line: 2, field: 'staff_id' }]);
    expect((await peopleOf(world, organisation)).size).toBe(2);
  });

  it('gives the person the new address where the staff_id is said to name them, and frees the old one', async () => {
    const { person_id: ada } = (await peopleOf(world, organisation)).get('ada@example.com')!;
    const renaming = counts({ changed: 1 });
    expect(await people(MARRIED, { matchBy: 'staff_id', dryRun: true })).toEqual(renaming);
    expect(changesOf(world)).toEqual([
      'ada@example.com work_email: ada@example.com -> ada.king@example.com',
      'ada@example.com last_name: Byron -> King',
    ]);
    expect(await people(MARRIED, { matchBy: 'staff_id' })).toEqual(renaming);
    expect(await people(MARRIED, { matchBy: 'staff_id' })).toEqual(counts({ unchanged: 1 }));
    expect(await people(MARRIED)).toEqual(counts({ unchanged: 1 }));
    const everybody = await peopleOf(world, organisation);
    expect([...everybody.keys()].toSorted()).toEqual(['ada.king@example.com', 'grace@example.com']);
    expect(everybody.get('ada.king@example.com')!.person_id).toBe(ada);
    await world.writer.create(
      contextOf(organisation, { today: '2026-01-01' }),
      newPerson({ email: 'ada@example.com' }),
      new Map(),
    );
  });

  it('is another person where the address is said to name them', async () => {
    expect(await people(MARRIED, { matchBy: 'work_email' })).toEqual(counts({ created: 1 }));
    expect((await peopleOf(world, organisation)).size).toBe(3);
  });

  it('is told of, as a warning, where only the name is that of somebody who is there', async () => {
    const lines = ['work_email,first_name,last_name', 'a.byron@example.com,ADA,Byron', 'other@example.com,Ada,Other'];
    expect(await people(lines, { dryRun: true })).toEqual(counts({ created: 2 }));
    expect(warningsOf(world)).toEqual([
      { line: 2, field: 'work_email', issue: expect.stringContaining('ADA Byron already exists, as ada@example.com') },
    ]);
  });

  it('needs no address where the staff_id names somebody who is there, and takes no address of another person', async () => {
    const result = await people(
      [
        'staff_id,work_email,preferred_name',
        'A-1,,Countess',
        'A-2,ada@example.com,',
        'A-9,,',
        'A-8,grace@example.com,',
        ',x@example.com,',
      ],
      { matchBy: 'staff_id' },
    );
    expect(result).toMatchObject({ changed: 1, failed: 4 });
    expect(result.problems).toEqual([
      { line: 3, field: 'work_email', issue: 'is the address of a person with the staff_id A-1' },
      { line: 4, field: 'work_email', issue: 'is required for a new person' },
      { line: 5, field: 'work_email', issue: 'is the address of a person with the staff_id A-2' },
      { line: 6, field: 'staff_id', issue: 'is required' },
    ]);
  });
});

describe('an import beside other writers', () => {
  it('finds people whom the API created, and refuses an address that somebody else has', async () => {
    await world.writer.create(
      contextOf(organisation, { today: '2026-01-01' }),
      newPerson({ email: 'api@example.com' }),
      new Map(),
    );
    // Of a person whose row is not projected yet.
    await world.pool.query(
      "insert into work_email_reservations (organisation_id, email_key, person_id) values ($1, 'busy@example.com', 'busy12345678')",
      [organisation],
    );
    const result = await people([
      'work_email,start_date,end_date',
      'api@example.com,,',
      'left@example.com,2020-01-01,2020-12-31',
      'busy@example.com,,',
    ]);
    expect(result).toMatchObject({ created: 1, unchanged: 1, failed: 1 });
    expect(result.problems).toEqual([
      { line: 4, field: 'work_email', issue: 'another person of the organisation has this e-mail address' },
    ]);
    expect(await factsOf(world, organisation, 'left@example.com')).toEqual(['start 2020-01-01', 'end 2020-12-31']);
  });

  it('gives back the addresses of rows that are refused', async () => {
    expect(await people(['work_email,start_date,end_date', 'ada@example.com,2020-01-01,2019-01-01'])).toMatchObject({
      failed: 1,
    });
    await world.writer.create(
      contextOf(organisation, { today: '2026-01-01' }),
      newPerson({ email: 'ada@example.com' }),
      new Map(),
    );
    expect((await peopleOf(world, organisation)).size).toBe(1);
  });

  it('creates nobody twice where one file is imported several times at once', async () => {
    const lines = [
      'work_email,start_date,job_title,end_date',
      ...Array.from(
        { length: 60 },
        (_, index) => `p${index}@example.com,2020-01-01,Engineer,${index % 2 === 0 ? '2024-01-31' : ''}`,
      ),
    ];
    const results = await Promise.all(Array.from({ length: 4 }, () => people(lines)));
    for (const { failed, problems } of results) expect({ failed, problems }).toEqual({ failed: 0, problems: [] });
    expect((await peopleOf(world, organisation)).size).toBe(60);
    expect(await factsOf(world, organisation, 'p0@example.com')).toEqual(['start 2020-01-01', 'end 2024-01-31']);
    expect(await people(lines)).toEqual(counts({ unchanged: 60 }));
  });
});
