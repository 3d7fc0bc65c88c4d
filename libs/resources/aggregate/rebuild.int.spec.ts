import { randomBytes } from 'node:crypto';
import { rebuild } from '#projections/rebuild.js';
import { Projector } from '#projections/projector.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { createApiKey, revokeApiKey } from '../api-key/api-key.commands.js';
import { commandLocation, createLocation } from '../location/location.commands.js';
import { commandOrgUnit, findOrCreateOrgUnits } from '../org-unit/org-unit.commands.js';
import { approveWrites, createOrganisation, ensureSandboxOrganisation, setOrganisation } from '../organisation/organisation.commands.js';
import { PROJECTIONS } from '../registry.js';
import { WORK_PLACES } from '../work-place/work-place.commands.js';
import { WORK_TYPES } from '../work-type/work-type.commands.js';
import { commandWorkingPattern, findOrCreateWorkingPattern } from '../working-pattern/working-pattern.commands.js';
import type { CommandServices } from './run-command.js';

const CLOCK = { now: () => new Date() };
const OWN = PROJECTIONS.filter((projection) => projection.name !== 'people');

describe('the read tables of what people refer to', () => {
  let database: TestDatabase;
  let services: CommandServices;
  let organisationId: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    services = testServices(database);
    organisationId = await recordSomethingOfEverything(services);
  });
  afterAll(() => database.drop());

  it.each(OWN)('are the same when they are built anew: $name', async (projection) => {
    const result = await rebuild({ pool: database.pool, eventStore: services.store, clock: CLOCK }, projection);
    expect(result.rows).toBeGreaterThan(0);
    expect(result.differences).toBe(0);
  });

  it('do not change when every stream is projected again', async () => {
    const contents = async () => Promise.all(OWN.map(async ({ name }) => (await database.pool.query(`select * from ${name}`)).rows));
    const before = await contents();
    const version = await database.pool.query('select version from authorisation_version');
    const events = await services.store.readAll(null, 1_000);
    const streams = await services.store.readStreams([...new Set(events.map((event) => event.stream))]);
    const projector = new Projector(OWN, CLOCK);
    await projector.project(database.pool, streams);
    expect(await contents()).toEqual(before);
    expect((await database.pool.query('select version from authorisation_version')).rows).toEqual(version.rows);
    const revisions = new Map(streams.map((stream) => [stream[0]!.stream, stream.at(-1)!.revision]));
    expect(await projector.stale(database.pool, revisions)).toEqual([]);
  });

  it('still make authentication look again after they were built anew', async () => {
    const read = async () => Number((await database.pool.query<{ version: string }>('select version from authorisation_version')).rows[0]!.version);
    const before = await read();
    await setOrganisation(services, testContext(organisationId), { name: 'Acme again' });
    expect(await read()).toBe(before + 1);
  });
});

async function recordSomethingOfEverything(services: CommandServices): Promise<string> {
  await ensureSandboxOrganisation(services, testContext(''));
  const profile = { name: 'Acme', subdomain: 'acme', country_code: 'GB', plan: 'standard', time_zone: 'UTC', approveWrites: false } as const;
  const owner = await createOrganisation(services, testContext(''), profile);
  const context = () => testContext(owner.id);
  await approveWrites(services, context());
  await setOrganisation(services, context(), { logo_url: 'https://acme.example/a\\b.png', name: 'Acme\u2028"Ltd"' });
  const key = { name: 'Key', environment: 'live', scopes: ['people:read'], prefix: 'svc_live_', lastFour: 'wxyz', now: new Date() } as const;
  await createApiKey(services, context(), owner, { ...key, secretHash: randomBytes(32), expiresAt: new Date('2031-01-01T00:00:00Z') });
  const revoked = await createApiKey(services, context(), owner, { ...key, secretHash: randomBytes(32), expiresAt: null });
  await revokeApiKey(services, context(), revoked.key_id);
  const place = { label: 'Office', address_line_1: '1 "Long" Lane', address_line_2: 'a\\b', address_line_3: null, city: 'London', region_state: '', postal_code: '', country_code: 'GB', capacity: 0 };
  await createLocation(services, context(), place);
  const closed = await createLocation(services, context(), { ...place, label: 'Closed', capacity: null });
  await commandLocation(services, context(), closed.id, { type: 'deactivate' });
  const units = await findOrCreateOrgUnits(services, context(), ['Engineering', 'Sales', 'Legal']);
  await commandOrgUnit(services, context(), units.get('sales')!.id, { type: 'archive' });
  await commandOrgUnit(services, context(), units.get('legal')!.id, { type: 'change', changes: { code: 'L', parent_id: units.get('engineering')!.id } });
  for (const dictionary of [WORK_PLACES, WORK_TYPES]) {
    const entries = await dictionary.findOrCreate(services, context(), ['One', 'Other']);
    await dictionary.command(services, context(), entries.get('one')!.id, { type: 'deactivate' });
  }
  const day = { week: 1, weekday: 1, morning_minutes: 200, afternoon_minutes: 0 };
  const pattern = { cycle_weeks: 3, anchor_date: '2026-01-05', days: [day, { ...day, week: 3 }] };
  const thirds = await findOrCreateWorkingPattern(services, context(), { ...pattern, label: 'Thirds' });
  await commandWorkingPattern(services, context(), thirds.id, { type: 'change', changes: { days: [day], anchor_date: '2026-02-02' } });
  const empty = await findOrCreateWorkingPattern(services, context(), { ...pattern, label: 'Never', days: [] });
  await commandWorkingPattern(services, context(), empty.id, { type: 'archive' });
  return owner.id;
}
