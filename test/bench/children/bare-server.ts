import Fastify, { type FastifyReply } from 'fastify';
import pg from 'pg';
import { answerParent } from './answer.js';

/** Where the bare server has its data, and what it answers to writes. */
export interface BareSettings {
  readonly databaseUrl: string;
  readonly connections: number;
  /** The bodies of the product's answers to a change of a person, a new person and new time off. */
  readonly answers: Readonly<Record<Write, string>>;
}

type Write = 'patch' | 'person' | 'timeOff';

/** A record as a list shows it: its JSON and where it stands in the list's order, before its id. */
export interface Listed {
  readonly id: string;
  readonly place: string;
  readonly text: string;
}

/**
 * The bytes of the rows that the product leaves for one write, without PostgreSQL's own 40 of each, the
 * receipt of the idempotency key last. For a new person: two events, their activity, the person, a fact, a
 * belief, a key, the e-mail address and the log of requests; otherwise the event alone.
 */
const ROWS: Readonly<Record<Write, readonly number[]>> = {
  patch: [660, 1_000],
  person: [580, 720, 130, 130, 1_155, 430, 250, 80, 70, 155, 760],
  timeOff: [865, 800],
};
const TABLES = `
create table people (id text collate "C" primary key, place text collate "C" not null, body text not null);
create table time_off (id text collate "C" primary key, place date not null, body text not null);
create index people_in_order on people (place, id);
create index time_off_in_order on time_off (place, id);
create table written (number bigint generated always as identity primary key, body text not null);
create table receipts (key text primary key, body text not null);`;
const ONE_PERSON = 'select body from people where id = $1';
const SOME_PEOPLE = 'select body from people where (place, id) > ($1, $2) order by place, id limit 100';
/** What begins in the window, from a place on. What is in progress on its first day is left out. */
const SOME_TIME_OFF =
  'select body from time_off where (place, id) > ($1, $2) and place <= $3 order by place, id limit 100';

let pool: pg.Pool;

/** Makes the tables and fills them with what the product answers. */
async function fill({
  databaseUrl,
  people,
  timeOff,
}: {
  databaseUrl: string;
  people: readonly Listed[];
  timeOff: readonly Listed[];
}) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(TABLES);
  for (const [table, records] of Object.entries({ people, time_off: timeOff })) {
    const columns = [records.map(({ id }) => id), records.map(({ place }) => place), records.map(({ text }) => text)];
    const type = table === 'people' ? 'text' : 'date';
    await client.query(
      `insert into ${table} select * from unnest($1::text[], $2::${type}[], $3::text[]) on conflict do nothing`,
      columns,
    );
  }
  await client.query('vacuum analyze');
  await client.end();
}

/**
 * A server that checks nothing and serialises nothing: one prepared statement, whose texts it sends as they
 * are stored. Gives its URL.
 */
function start({ databaseUrl, connections, answers }: BareSettings): Promise<string> {
  pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  const server = Fastify({ logger: false });
  server.get<{ Params: { id: string } }>('/people/:id', async ({ params: { id } }, reply) =>
    send(reply, `{"data":${(await texts('one', ONE_PERSON, [id]))[0]!}}`),
  );
  server.get<{ Querystring: { place: string; id: string } }>('/people', async ({ query: { place, id } }, reply) =>
    send(reply, `{"data":[${(await texts('some', SOME_PEOPLE, [place, id])).join(',')}]}`),
  );
  server.get<{ Querystring: { place: string; id: string; to: string } }>(
    '/time-off',
    async ({ query: { place, id, to } }, reply) =>
      send(reply, `{"data":[${(await texts('window', SOME_TIME_OFF, [place, id, to])).join(',')}]}`),
  );
  for (const [method, url, write] of [
    ['PATCH', '/people/:id', 'patch'],
    ['POST', '/people', 'person'],
    ['POST', '/time-off', 'timeOff'],
  ] as const) {
    const text = insertsOf(ROWS[write]);
    server.route({
      method,
      url,
      handler: async ({ headers }, reply) => {
        await pool.query({ name: write, text, values: [headers['idempotency-key']] });
        return send(reply, answers[write]);
      },
    });
  }
  return server.listen({ host: '127.0.0.1', port: 0 });
}

async function texts(name: string, text: string, values: readonly string[]): Promise<readonly string[]> {
  const { rows } = await pool.query<[string]>({ name, text, values: [...values], rowMode: 'array' });
  return rows.map(([body]) => body);
}

function send(reply: FastifyReply, body: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(body);
}

/**
 * One statement that inserts all rows in a transaction of its own: one message and one commit. Takes the
 * receipt's key.
 */
function insertsOf(rows: readonly number[]): string {
  const literals = rows.map((bytes) => `'${incompressible(bytes)}'`);
  const written = literals.slice(0, -1).map((literal) => `(${literal})`);
  return `with w as (insert into written (body) values ${written.join(', ')}) insert into receipts (key, body) values ($1, ${literals.at(-1)!})`;
}

/**
 * A text that PostgreSQL cannot store in fewer bytes. One that is sent as a parameter costs the same as this
 * in the statement.
 */
function incompressible(length: number): string {
  let text = '';
  for (let state = 1; text.length < length; state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff) {
    text += (state >>> 8).toString(36);
  }
  return text.slice(0, length);
}

answerParent({ fill, start });
