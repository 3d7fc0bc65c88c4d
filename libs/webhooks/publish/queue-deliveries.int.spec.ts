import { IdMint } from '#identifiers/id-mint.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import { insertEndpoint, insertEvents } from '../../../test/support/webhooks/endpoint-rows.js';
import { laggingOrganisations, queueForOrganisation, type QueuedDeliveries } from './queue-deliveries.js';

const MINT = new IdMint(Buffer.alloc(32, 7));

const database = databaseForSpec();
let organisationId: string;
let organisations = 0;
beforeEach(() => {
  organisations += 1;
  organisationId = MINT.prefixed('organisation', '', String(organisations));
});

const queue = (mayStop = true, limit = 500): Promise<QueuedDeliveries> =>
  queueForOrganisation(database.pool, MINT, organisationId, { mayStop, most: limit });
const endpoint = (id: string, more: object = {}): Promise<void> =>
  insertEndpoint(database.pool, { organisationId, id: `${id} ${organisations}`, ...more });
const events = (first: number, count: number, type?: string): Promise<void> =>
  insertEvents(database.pool, organisationId, first, count, type);
const set = (assignment: string, condition = 'true'): Promise<unknown> =>
  database.pool.query(`update webhook_deliveries set ${assignment} where organisation_id = $1 and ${condition}`, [
    organisationId,
  ]);
const FINISHED = `status = 'delivered', next_attempt_at = null, finished_at = clock_timestamp()`;

async function counts(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.pool.query<{ webhook_id: string; count: number }>(
    `select webhook_id, count(*)::integer as count from webhook_deliveries where organisation_id = $1 group by 1 order by 1`,
    [organisationId],
  );
  return Object.fromEntries(rows.map((row) => [row.webhook_id.split(' ')[0]!, row.count]));
}

async function stops(): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ stop: string }>(
    `select split_part(webhook_id, ' ', 1) || ' ' || activation || ' ' || reason as stop from webhook_stops where organisation_id = $1 order by 1`,
    [organisationId],
  );
  return rows.map(({ stop }) => stop);
}

describe('deliveries', () => {
  it('are made for each endpoint and event once, in order, the later ones of an endpoint after the first ones of another', async () => {
    await endpoint('a');
    await endpoint('b');
    await events(1, 70);
    const { due, isBehind } = await queue();
    expect(due.map(({ webhookId, place }) => [webhookId[0], place])).toEqual(
      ['a', 'b'].flatMap((name) => Array.from({ length: 70 }, (_, place) => [name, place])),
    );
    expect(isBehind).toBe(false);
    const { rows } = await database.pool.query<{ id: string; event_id: string }>(
      `select id, event_id from webhook_deliveries where webhook_id = $1 order by event_id::text collate "C"`,
      [`a ${organisations}`],
    );
    const ids = new Map(rows.map((row) => [row.id, row.event_id]));
    expect(due.slice(0, 70).map(({ deliveryId }) => ids.get(deliveryId))).toEqual(
      Array.from({ length: 70 }, (_, index) => `event ${index + 1}`),
    );
    expect((await queue()).due).toEqual([]);
    expect(await counts()).toEqual({ a: 70, b: 70 });
  });

  it('are only of subscribed events, and of those after the endpoint was activated', async () => {
    await endpoint('a', { subscribedEvents: ['person.created'], activatedPosition: '0000000002' });
    await events(1, 3, 'person.created');
    await events(4, 3, 'person.updated');
    await events(7, 1, 'person.created');
    await queue();
    expect(await counts()).toEqual({ a: 2 });
    expect(
      (await database.pool.query('select position from webhook_cursors where organisation_id = $1', [organisationId]))
        .rows,
    ).toEqual([{ position: '0000000007' }]);
  });

  it('begin anew with an activation, without what came while it was disabled', async () => {
    await endpoint('a');
    await events(1, 2);
    await queue();
    await events(3, 2);
    await database.pool.query(
      `update webhooks set activation = 2, activated_position = '0000000004' where organisation_id = $1`,
      [organisationId],
    );
    await events(5, 1);
    await queue();
    expect(await counts()).toEqual({ a: 3 });
  });

  it('are as many for each endpoint as are asked for, until there are no more', async () => {
    await endpoint('a');
    await endpoint('b', { subscribedEvents: ['person.created'] });
    await events(1, 60);
    for (const [count, isBehind] of [
      [25, true],
      [50, true],
      [60, false],
    ] as const) {
      expect(await queue(true, 25)).toMatchObject({ isBehind });
      expect(await counts()).toEqual({ a: count });
    }
  });

  it('do not go beyond what may wait while the receiver is at work, and go on as it takes them', async () => {
    await endpoint('busy');
    await endpoint('quick');
    await events(1, 480);
    await queue();
    await set(FINISHED, `webhook_id like 'quick%'`);
    await events(481, 100);
    expect(await queue()).toMatchObject({ isBehind: true, hasStopped: false });
    expect(await counts()).toEqual({ busy: 500, quick: 580 });
    expect(await laggingOrganisations(database.pool)).toContain(organisationId);
    expect((await queue()).due).toEqual([]);
    await set(FINISHED, `webhook_id like 'busy%' and length(event_id) = 7`);
    expect(await queue()).toMatchObject({ isBehind: true });
    expect(await counts()).toEqual({ busy: 509, quick: 580 });
    await set(FINISHED);
    expect(await queue()).toMatchObject({ isBehind: false, hasStopped: false });
    expect(await counts()).toEqual({ busy: 580, quick: 580 });
    expect(await stops()).toEqual([]);
  });

  it('of an endpoint that accepts nothing stop with the one over the cap, without a delay for others', async () => {
    await endpoint('dead');
    await endpoint('well');
    await events(1, 499);
    await queue();
    await events(500, 1);
    await queue();
    await set(FINISHED, `webhook_id like 'well%'`);
    await set(`created_at = created_at - interval '1 minute'`);
    await events(501, 20);
    expect(await queue(false)).toMatchObject({ isBehind: true, hasStopped: false });
    expect(await queue()).toMatchObject({ isBehind: false, hasStopped: true });
    expect(await counts()).toEqual({ dead: 501, well: 520 });
    expect(await stops()).toEqual(['dead 1 delivery_overflow']);
    await events(521, 10);
    await queue();
    expect(await counts()).toEqual({ dead: 501, well: 530 });
  });

  it('of an organisation are five thousand at most, those of disabled endpoints included', async () => {
    await database.pool.query(
      `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, created_at)
       select $1, 'filler ' || n, 'disabled', 'event ' || n, 'person.updated', '', '', now(), now() - interval '1 minute' from generate_series(1, 4990) n`,
      [organisationId],
    );
    await endpoint('last');
    await events(1, 10);
    expect(await queue()).toMatchObject({ hasStopped: false, isBehind: false });
    await set(`created_at = created_at - interval '1 minute'`);
    await events(11, 5);
    expect(await queue()).toMatchObject({ hasStopped: true });
    expect(await counts()).toEqual({ disabled: 4_990, last: 11 });
    expect(await stops()).toEqual(['last 1 delivery_overflow']);
  });

  it('that two events of one recorded event would bring over the cap go together', async () => {
    await endpoint('a');
    await events(1, 499);
    await queue();
    await set(`created_at = created_at - interval '1 minute'`);
    await database.pool.query(
      `insert into webhook_events (organisation_id, id, type, resource_id, resource_type, occurred_at, position)
       select $1, type, type, 'record', 'time_off', clock_timestamp(), '0000000500' from unnest(array['time_off.approved', 'time_off.updated']) type`,
      [organisationId],
    );
    expect(await queue()).toMatchObject({ hasStopped: true });
    expect(await counts()).toEqual({ a: 501 });
  });

  it('stay within the caps under concurrent creation', async () => {
    await endpoint('a');
    await events(1, 700);
    await Promise.all(Array.from({ length: 8 }, () => queue()));
    expect(await counts()).toEqual({ a: 500 });
  });
});
