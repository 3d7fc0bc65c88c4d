import { rebuild } from '#projections/rebuild/rebuild.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { peopleProjection } from '#resources/people/people/people.projection.js';
import { BARE_TABLES } from '../children/bare-statements.js';
import type { Load } from '../children/load-generator.js';
import { compare } from '../compare.js';
import { type Fixture, openFixture, recordPeople } from '../fixture.js';
import { count, type Line } from '../table.js';
import { lineOf, PREFIX, sampleOf, startServers, WRITING_CONNECTIONS } from './servers.js';
import type { Setting } from './setting.js';

const GOALS = { read: 0.8, list: 0.8, patch: 0.5 };
/** Facts of each person: a history, though requests read only what it comes to. */
const FACTS = 3;

type RequestBench = keyof typeof GOALS;

/** Reads and writes over HTTP, each against a bare server. */
export async function measureRequests(setting: Setting, names: readonly RequestBench[]): Promise<readonly Line[]> {
  const { options } = setting;
  setting.say(`Recording ${count(options.people)} people …`);
  const fixture = await openFixture(await setting.database('requests'));
  try {
    const ids = await recordPeople(
      fixture,
      options.people,
      () => FACTS,
      () => undefined,
    );
    await rebuild(
      { pool: fixture.pool, eventStore: new PostgresEventStore(fixture.pool), clock: { now: () => new Date() } },
      peopleProjection,
    );
    await fixture.pool.query(BARE_TABLES);
    await fixture.pool.query('vacuum analyze');
    const servers = await startServers(setting, fixture, (url) => sampleOf(fixture, 'PersonCreated', `${url}/people/${ids[0]!}`));
    const generator = setting.start('load-generator');
    const lines: Line[] = [];
    for (const name of names) {
      setting.say(`Measuring ${name} …`);
      const load = loadOf(setting, name, fixture, ids);
      const product = {
        server: servers.product.server,
        load: { ...load, url: servers.product.url, paths: load.paths.map((path) => PREFIX + path) },
      };
      if (name === 'patch') await generator.ask('learnTags', product.load);
      const bare = { server: servers.bare.server, load: { ...load, url: servers.bare.url } };
      lines.push(lineOf(TITLES[name], GOALS[name], await compare(generator, product, bare, options)));
    }
    return lines;
  } finally {
    await fixture.close();
  }
}

function loadOf({ options }: Setting, name: RequestBench, { apiKey }: Fixture, ids: readonly string[]): Omit<Load, 'url'> {
  return {
    method: name === 'patch' ? 'PATCH' : 'GET',
    paths: name === 'list' ? ['/people?limit=100'] : spread(ids).map((id) => `/people/${id}`),
    headers: { authorization: `Bearer ${apiKey}` },
    timeOff: null,
    connections: name === 'patch' ? WRITING_CONNECTIONS : options.connections,
    seconds: options.seconds,
  };
}

/** The same ids in an order in which neighbours are far apart. */
function spread(ids: readonly string[]): readonly string[] {
  const step = 7_919;
  return ids.length % step === 0 ? ids : ids.map((_, index) => ids[(index * step) % ids.length]!);
}

const TITLES: Readonly<Record<RequestBench, string>> = {
  read: 'GET /people/{id}',
  list: 'GET /people?limit=100',
  patch: 'PATCH /people/{id}, durable',
};
