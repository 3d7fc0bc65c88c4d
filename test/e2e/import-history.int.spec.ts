import { contextOf, newOrganisation, worldForSpec } from '../support/people/world.js';
import {
  changesOf,
  counts,
  everythingWritten,
  factsOf,
  importLines,
  type ImportOptions,
  peopleOf,
  titlesOf,
} from './import-support.js';

const world = worldForSpec();
let organisation: string;

beforeEach(async () => {
  organisation = await newOrganisation(world);
  await importLines(world, organisation, 'people', [
    'work_email,staff_id,start_date,job_title',
    'ada@example.com,1,2010-01-01,Engineer',
    'grace@example.com,2,2010-01-01,Admiral',
  ]);
  const other = ['work_email,staff_id,start_date', 'other@example.com,2,2010-01-01'];
  await importLines(world, organisation, 'people', other, { matchBy: 'work_email' });
});

const history = (lines: readonly string[], options: ImportOptions = {}): ReturnType<typeof importLines> =>
  importLines(world, organisation, 'history', lines, options);
const titles = (): Promise<readonly string[]> => titlesOf(world, organisation, 'ada@example.com');
const facts = (): Promise<readonly string[]> => factsOf(world, organisation, 'ada@example.com');

const CAREER = [
  'staff_id,action,start_date,end_date,job_title',
  '1,end,,2018-12-31,',
  '1,change,2016-01-01,,Senior',
  '1,,2012-01-01,,Specialist',
  '1,Reactivate,2020-01-01,,Consultant',
  '1,change,2023-01-01,,Partner',
];
const TITLES = [
  '2010-01-01 Engineer',
  '2012-01-01 Specialist',
  '2016-01-01 Senior',
  '2019-01-01 -',
  '2020-01-01 Consultant',
  '2023-01-01 Partner',
];

describe('an import of employment history', () => {
  it('applies the facts of a person in the order of their days, wherever they stand in the file', async () => {
    expect(await history(CAREER)).toEqual(counts({ created: 5 }));
    expect(await titles()).toEqual(TITLES);
    expect(await facts()).toEqual([
      'start 2010-01-01',
      'change 2012-01-01',
      'change 2016-01-01',
      'end 2018-12-31',
      'reactivate 2020-01-01',
      'change 2023-01-01',
    ]);
  });

  it('changes nothing when it is repeated, in any order', async () => {
    await history(CAREER);
    const before = await everythingWritten(world);
    expect(await history(CAREER)).toEqual(counts({ unchanged: 5 }));
    expect(await history([CAREER[0]!, ...CAREER.slice(1).reverse()])).toEqual(counts({ unchanged: 5 }));
    expect(await everythingWritten(world)).toEqual(before);
  });

  it('corrects former periods, and days before what is recorded, with the file as the reason', async () => {
    await history(CAREER);
    const lines = [
      'work_email,start_date,job_title',
      'ada@example.com,2011-01-01,Junior',
      'ada@example.com,2021-01-01,Advisor',
      'ada@example.com,2024-01-01,Director',
    ];
    expect(await history(lines)).toEqual(counts({ created: 3 }));
    expect((await facts()).slice(6)).toEqual([
      'correction 2011-01-01 Imported from a file',
      'correction 2021-01-01 Imported from a file',
      'change 2024-01-01',
    ]);
    expect(await history(lines)).toEqual(counts({ unchanged: 3 }));
    expect(await titles()).toEqual([
      TITLES[0],
      '2011-01-01 Junior',
      ...TITLES.slice(1, 5),
      '2021-01-01 Advisor',
      TITLES[5],
      '2024-01-01 Director',
    ]);
  });

  it('takes each fact for one row: of several rows for one day the last line wins, also when repeated', async () => {
    const lines = ['staff_id,start_date,job_title', '1,2015-01-01,One', '1,2015-01-01,Two', '1,2015-01-01,One'];
    expect(await history(lines)).toEqual(counts({ created: 3 }));
    expect(await titles()).toEqual(['2010-01-01 Engineer', '2015-01-01 One']);
    expect(await history(lines)).toEqual(counts({ unchanged: 3 }));
    const more = [...lines, '1,2015-01-01,Two'];
    expect(await history(more)).toEqual(counts({ created: 1, unchanged: 3 }));
    expect(await titles()).toEqual(['2010-01-01 Engineer', '2015-01-01 Two']);
  });

  it('leaves a change on the first day alone that says what the start said, and records one that says otherwise', async () => {
    expect(await history(['staff_id,start_date,job_title', '1,2010-01-01,Engineer'])).toEqual(counts({ unchanged: 1 }));
    expect(await history(['staff_id,start_date,job_title', '1,2010-01-01,Trainee'])).toEqual(counts({ created: 1 }));
    expect(await titles()).toEqual(['2010-01-01 Trainee']);
  });

  it('reports bad rows with their lines and imports the others', async () => {
    const result = await history([
      'staff_id,work_email,action,start_date,end_date,job_title,manager',
      '1,,change,2012-01-01,,Specialist,',
      ',,change,2012-01-01,,,',
      '9,,change,2012-01-01,,,',
      '2,,change,2012-01-01,,,',
      '2,grace@example.com,change,2012-01-01,,Commodore,1',
      '1,grace@example.com,change,2012-01-01,,,',
      '1,,hire,2012-01-01,,,',
      '1,,end,2012-01-01,,Boss,',
      '1,,change,,2012-01-01,,',
      '1,,change,2009-12-31,,,',
      '1,,reactivate,2030-01-01,,,',
      '1,,change,2013-01-01,,,grace@example.com',
    ]);
    expect(result).toMatchObject({ created: 2, failed: 10 });
    expect(result.problems.map(({ line, field }) => `${line} ${field}`)).toEqual([
      '3 work_email',
      '4 staff_id',
      '5 staff_id',
      '7 staff_id',
      '8 action',
      '9 end_date',
      '9 start_date',
      '9 job_title',
      '10 start_date',
      '10 end_date',
      '11 start_date',
      '12 action',
      '13 manager',
    ]);
    expect((await peopleOf(world, organisation)).get('grace@example.com')).toMatchObject({
      manager_email: 'ada@example.com',
      job_title: 'Commodore',
    });
  });

  it('tells in a dry run what a run would do, and writes nothing', async () => {
    const before = await everythingWritten(world);
    expect(await history(CAREER, { dryRun: true })).toEqual(counts({ created: 5 }));
    expect(changesOf(world)).toEqual([
      '1 end_date: none -> 2018-12-31 from 2019-01-01',
      '1 job_title: Specialist -> Senior from 2016-01-01',
      '1 job_title: Engineer -> Specialist from 2012-01-01',
      '1 start_date: none -> 2020-01-01 from 2020-01-01',
      '1 job_title: none -> Consultant from 2020-01-01',
      '1 job_title: Consultant -> Partner from 2023-01-01',
    ]);
    expect(
      await history(['staff_id,start_date,department', '1,2012-01-01,Nowhere'], { dryRun: true, createMissing: true }),
    ).toEqual(counts({ created: 1 }));
    expect(await everythingWritten(world)).toEqual(before);
  });

  it('allows managers to change places on different days, and refuses a cycle on the line that would close it', async () => {
    const lines = [
      'work_email,start_date,manager',
      'ada@example.com,2011-01-01,grace@example.com',
      'ada@example.com,2015-01-01,other@example.com',
      'grace@example.com,2015-01-01,ada@example.com',
      'other@example.com,2016-01-01,grace@example.com',
    ];
    for (const dryRun of [true, false]) {
      const result = await history(lines, { dryRun });
      expect(result).toMatchObject({ created: 3, failed: 1 });
      expect(result.problems).toMatchObject([{ field: 'manager' }]);
    }
    expect(await history(lines)).toMatchObject({ unchanged: 3, failed: 1 });
  });

  it('recognises what was corrected since, and does not record it again', async () => {
    await history(['staff_id,action,end_date', '1,end,2018-12-31']);
    const { person_id: personId } = (await peopleOf(world, organisation)).get('ada@example.com')!;
    const { rows } = await world.pool.query<{ fact_id: string }>(
      "select fact_id from employment_facts where organisation_id = $1 and person_id = $2 and action = 'end'",
      [organisation, personId],
    );
    const correction = {
      type: 'correct',
      startDate: '2019-06-30',
      terms: {},
      correctionReason: 'a typing mistake',
      corrects: rows[0]!.fact_id,
    } as const;
    await world.writer.recordFact(
      contextOf(organisation, { today: '2026-01-01' }),
      personId,
      correction,
      new Map(),
      null,
    );
    expect(await history(['staff_id,action,end_date', '1,end,2018-12-31'])).toEqual(counts({ unchanged: 1 }));
    expect(await titles()).toEqual(['2010-01-01 Engineer', '2019-07-01 -']);
  });

  it('records each fact once where one file is imported several times at once', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => history(CAREER)));
    for (const { failed } of results) expect(failed).toBe(0);
    expect(await facts()).toHaveLength(6);
    expect(await titles()).toEqual(TITLES);
  });
});
