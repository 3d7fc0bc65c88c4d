import { createWorld, createPerson, newOrganisation, type World } from '../../test/support/people/world.js';
import { allReadable } from '../../test/support/postgres.js';
import { runWorkforce, startWorkforce } from '../../test/support/processes.js';

const PEOPLE = 4;

let world: World;
let environment: NodeJS.ProcessEnv;
let people: string[];

beforeAll(async () => {
  world = await createWorld();
  environment = { DATABASE_URL: world.database.url };
  const organisationId = await newOrganisation(world);
  people = [];
  for (let count = 0; count < PEOPLE; count += 1) people.push(await createPerson(world, organisationId));
  await allReadable(world.pool);
});
afterAll(() => world.database.drop());

async function workforce(
  ...parameters: string[]
): Promise<{ code: number | null; json: Record<string, unknown>; stderr: string }> {
  const { code, stdout, stderr } = await runWorkforce([...parameters, '--json'], environment);
  return { code, json: JSON.parse(stdout) as Record<string, unknown>, stderr };
}

async function statusOfRebuilds(): Promise<unknown> {
  return (await workforce('projections', 'status')).json['rebuilds'];
}

/** Kills a rebuild that has filled its tables and cannot swap them in. */
async function killBeforeItsEnd(): Promise<void> {
  const blocker = await world.pool.connect();
  try {
    // Waits for another process, which may take longer to start than the limit of idle transactions.
    await blocker.query(
      'begin; set local idle_in_transaction_session_timeout = 0; lock table people in row exclusive mode',
    );
    const rebuilding = startWorkforce(['projections', 'rebuild', 'people', '--json'], environment);
    const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and query like 'lock table people%' and wait_event_type = 'Lock'`;
    while ((await world.pool.query(isWaiting)).rowCount === 0) expect(rebuilding.stdout()).toBe('');
    await rebuilding.end('SIGKILL');
  } finally {
    blocker.release(true);
  }
}

describe('workforce projections rebuild', () => {
  it('begins again where one was killed, whose progress the status shows until then', async () => {
    await killBeforeItsEnd();
    expect(await statusOfRebuilds()).toMatchObject([
      {
        projection: 'people',
        phase: 'completing',
        events: 2 * PEOPLE,
        rows: 3 * PEOPLE,
        expected_rows: 3 * PEOPLE,
        seconds_left: 0,
      },
    ]);
    const { code, json } = await workforce('projections', 'rebuild', 'people');
    expect({ code, json }).toMatchObject({
      code: 0,
      json: {
        events: 2 * PEOPLE,
        projections: [{ name: 'people', events: 2 * PEOPLE, rows: 3 * PEOPLE, differences: 0 }],
      },
    });
    expect(await statusOfRebuilds()).toEqual([]);
  });

  it('throws away what was left, when asked to', async () => {
    await killBeforeItsEnd();
    expect(await workforce('projections', 'rebuild', '--abandon')).toMatchObject({
      code: 0,
      json: { abandoned: ['people'] },
    });
    expect(await workforce('projections', 'rebuild', '--abandon')).toMatchObject({ code: 0, json: { abandoned: [] } });
    expect((await workforce('projections', 'rebuild', 'people')).json).toMatchObject({
      projections: [{ differences: 0 }],
    });
  });

  it('verifies: names rows that are not as the events say, changes nothing, and fails only where there are some', async () => {
    expect(await workforce('projections', 'rebuild', '--verify')).toMatchObject({ code: 0 });
    await world.pool.query(`update people set last_name = 'Impostor' where person_id = $1`, [people[0]]);
    const { code, json } = await workforce('projections', 'rebuild', 'people', '--verify');
    expect({ code, json }).toMatchObject({
      code: 1,
      json: {
        projections: [{ name: 'people', differences: [{ table: 'people', key: expect.stringContaining(people[0]!) }] }],
      },
    });
    expect(JSON.stringify(json)).not.toContain('Impostor');
    expect((await world.pool.query(`select 1 from people where last_name = 'Impostor'`)).rowCount).toBe(1);
    expect((await runWorkforce(['projections', 'rebuild', 'people', '--verify'], environment)).stdout).toMatch(
      new RegExp(`^people \\(org_.*${people[0]!}\\)$`, 'm'),
    );
    expect((await workforce('projections', 'rebuild', '--verify', '--abandon')).code).toBe(2);
  });
});
