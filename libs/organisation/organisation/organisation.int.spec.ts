import { RejectedError } from '#kernel/rejection.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import type { CommandServices } from '#commands/services.js';
import {
  approveWrites,
  createOrganisation,
  type NewOrganisation,
  revokeWrites,
  setOrganisation,
} from './organisation.api.js';
import { findOrganisation } from './organisation.js';

const INPUT: NewOrganisation = {
  name: 'Acme',
  subdomain: 'acme',
  country_code: 'gb',
  plan: 'standard',
  time_zone: 'europe/london',
  approveWrites: false,
};

const database = databaseForSpec();
let services: CommandServices;
beforeAll(async () => {
  services = testServices(database);
});

function create(changes: Partial<NewOrganisation>) {
  return createOrganisation(services, testContext(''), { ...INPUT, ...changes });
}

async function authorisationVersion(): Promise<number> {
  const { rows } = await database.pool.query<{ version: string }>('select version::text from authorisation_version');
  return Number(rows[0]!.version);
}

describe('creating an organisation', () => {
  it('makes its row, with codes in their usual case, found by id and by subdomain', async () => {
    const created = await create({ subdomain: 'Created' });
    expect(created).toMatchObject({
      subdomain: 'created',
      country_code: 'GB',
      time_zone: 'Europe/London',
      writes_approved: false,
      is_sandbox: false,
    });
    expect(services.mint.owns('organisation', '', created.id)).toBe(true);
    expect(await findOrganisation(database.pool, created.id)).toEqual(created);
    expect(await findOrganisation(database.pool, 'CREATED')).toEqual(created);
    expect(await findOrganisation(database.pool, 'unknown')).toBeNull();
  });

  it('leaves nothing behind if it is refused', async () => {
    await expect(create({ subdomain: 'refused', country_code: 'UK' })).rejects.toThrow(RejectedError);
    expect(await findOrganisation(database.pool, 'refused')).toBeNull();
    await expect(create({ subdomain: 'refused' })).resolves.toMatchObject({ subdomain: 'refused' });
  });

  it('succeeds once if several requests use the same subdomain at the same time', async () => {
    const attempts = Array.from({ length: 20 }, (_, index) =>
      create({ subdomain: 'contested', name: `Contender ${index}` }),
    );
    const settled = await Promise.allSettled(attempts);
    const winners = settled.filter((one) => one.status === 'fulfilled');
    const refusals = settled.filter((one) => one.status === 'rejected').map((one) => (one.reason as Error).message);
    expect(winners).toHaveLength(1);
    expect(new Set(refusals)).toEqual(new Set(['the subdomain contested is taken']));
    expect(await findOrganisation(database.pool, 'contested')).toEqual(winners[0]!.value);
  });
});

describe('an organisation', () => {
  it('changes as it is set, and makes authentication look again only where something changed', async () => {
    const { id } = await create({ subdomain: 'changing' });
    const before = await authorisationVersion();
    const changed = await setOrganisation(services, testContext(id), {
      plan: 'enterprise',
      time_zone: 'Asia/Tokyo',
      primary_color_light: '#00ff00',
    });
    expect(changed).toMatchObject({
      plan: 'enterprise',
      time_zone: 'Asia/Tokyo',
      primary_color_light: '#00ff00',
      name: 'Acme',
    });
    expect(await authorisationVersion()).toBe(before + 1);
    await setOrganisation(services, testContext(id), { plan: 'enterprise' });
    expect(await authorisationVersion()).toBe(before + 1);
  });

  it('notifies listeners that its approval changed', async () => {
    const { id } = await create({ subdomain: 'approving' });
    const listener = await database.pool.connect();
    const told: string[] = [];
    listener.on('notification', (message) => told.push(message.payload!));
    await listener.query('listen authorisation_changed');
    expect(await approveWrites(services, testContext(id))).toMatchObject({ writes_approved: true });
    expect(await approveWrites(services, testContext(id))).toMatchObject({ writes_approved: true });
    expect(await revokeWrites(services, testContext(id))).toMatchObject({ writes_approved: false });
    // A session receives notifications before the results of later queries.
    const { rows } = await listener.query<{ version: string }>('select version::text from authorisation_version');
    expect(told).toEqual([String(Number(rows[0]!.version) - 1), rows[0]!.version]);
    listener.release(true);
  });

  it('is projected by several processes at the same time, although its subdomain is unique too', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { id } = await create({ subdomain: `at-once-${round}` });
      await database.pool.query('delete from organisations where id = $1', [id]);
      const stream = await services.store.readStream(`organisation-${id}.profile`);
      expect(stream.length).toBeGreaterThan(0);
      await Promise.all(Array.from({ length: 8 }, () => services.projector.project(database.pool, [stream])));
    }
  });

  it('that is not there cannot be changed', async () => {
    const nowhere = services.mint.prefixed('organisation', '', 'subdomain', 'nowhere');
    await expect(approveWrites(services, testContext(nowhere))).rejects.toThrow('there is no such organisation');
  });
});

describe('the time zones that an organisation has had', () => {
  it('are kept, one for each move', async () => {
    const { id } = await create({ subdomain: 'moving', time_zone: 'Asia/Tokyo' });
    for (const profile of [{ time_zone: 'Pacific/Apia' }, { name: 'Moved' }, { time_zone: 'Asia/Tokyo' }])
      await setOrganisation(services, testContext(id), profile);
    const { rows } = await database.pool.query<{ time_zones: readonly { time_zone: string; recorded_at: string }[] }>(
      'select time_zones from organisations where id = $1',
      [id],
    );
    expect(rows[0]!.time_zones.map(({ time_zone }) => time_zone)).toEqual(['Asia/Tokyo', 'Pacific/Apia', 'Asia/Tokyo']);
  });
});
