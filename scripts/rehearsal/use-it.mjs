import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { backUpAndRestore } from './back-up.mjs';
import { milliseconds } from './compose.mjs';
import { hasSecurityHeaders } from './security-headers.mjs';
import { until } from './until.mjs';

const RESTARTED = ['api-1', 'api-2', 'worker-1', 'worker-2'];
/** The pause between requests of the load, which keeps it below the budget of a key per minute. */
const LOAD_PAUSE_MILLISECONDS = 150;

/** Performs the actions of operators and callers, and reports the results. */
export async function useIt(stage) {
  const { containers, report } = stage;
  const client = clientOf(stage);
  await lookInside(stage);
  const [key, keyOfLoad] = await firstOrganisation(containers.get('api-1'), report);
  await doctor(containers.get('migrate'), report);
  await writesAndReads(client, key, report);
  await webhook(stage, client, key);
  await rollingRestart(stage, client, keyOfLoad);
  await withoutEventStore(stage, client, key);
  await withoutRedis(stage, client, key);
  await backUpAndRestore(stage, client, key, underLoad(client, keyOfLoad, 'later'));
}

/** Calls through the proxy, at its published port, trusting its certificate only. */
function clientOf({ networks, secrets }) {
  const agent = new Agent({ ca: readFileSync(`${secrets}/proxy.pem`), servername: 'hr.example.com', keepAlive: true });
  return (method, path, { key, body, headers = {}, port = 8443 } = {}) =>
    new Promise((settle, reject) => {
      const json = body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const outgoing = request(
        {
          host: networks.addressOf('proxy'),
          port,
          agent,
          method,
          path: `/api/v1${path}`,
          headers: { ...json, ...authorization, ...headers },
          timeout: 30_000,
        },
        async (answer) => {
          const text = (await answer.setEncoding('utf8').toArray()).join('');
          settle({ status: answer.statusCode, headers: answer.headers, body: text === '' ? null : JSON.parse(text) });
        },
      );
      outgoing.once('error', reject).once('timeout', () => outgoing.destroy(new Error('no answer within 30 s')));
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

async function lookInside({ compose, containers, report }) {
  const [first] = Object.keys(compose.services).filter((name) => name.startsWith('api-'));
  for (const [name, container] of containers) {
    if (!container.isRunning) continue;
    const { stdout } = await container.exec([
      '/bin/sh',
      '-c',
      'grep -E "^(Uid|CapEff|CapBnd|NoNewPrivs):" /proc/1/status | tr -s "\\t\\n" " "; touch /rehearsal 2>/dev/null ' +
        '&& echo writable || echo "read-only"',
    ]);
    const holds = new RegExp(`Uid: ${container.user} .*CapEff: 0+ CapBnd: 0+ NoNewPrivs: 1 read-only`).test(stdout);
    report.expect(
      name,
      'runs as its own user, without capabilities, on files for looking only',
      holds,
      holds ? `user ${container.user}` : stdout,
    );
  }
  const others = Object.keys(compose.secrets).filter((name) => !(compose.services[first].secrets ?? []).includes(name));
  const { stdout } = await containers.get(first).exec(['ls', '/run/secrets']);
  report.expect(
    first,
    'sees its own secrets alone',
    others.every((name) => !stdout.split('\n').includes(name)),
    stdout.trim().split('\n').join(', '),
  );
  const reach = async (from, to, port) =>
    (await containers.get(from).exec(['/bin/bash', '-c', `: > /dev/tcp/${to}/${port}`], 5_000)).code === 0;
  report.expect(
    'networks',
    'the proxy reaches APIs, not the database',
    (await reach('proxy', 'api-1', 3000)) && !(await reach('proxy', 'postgres', 5432)),
  );
  report.expect(
    'networks',
    'a worker reaches the database, not the proxy',
    (await reach('worker-1', 'postgres', 5432)) && !(await reach('worker-1', 'proxy', 8443)),
  );
}

async function firstOrganisation(container, report) {
  const json = async (...parameters) => {
    const { code, stdout, stderr } = await container.exec(['workforce', ...parameters, '--json']);
    if (code !== 0) throw new Error(`workforce ${parameters.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };
  await json(
    'organisations',
    'create',
    '--name',
    'Acme Ltd',
    '--subdomain',
    'acme',
    '--country',
    'GB',
    '--plan',
    'standard',
    '--time-zone',
    'Europe/London',
  );
  await json('organisations', 'approve-writes', 'acme');
  // A separate key for the load, so that it does not use up the budget of the checks.
  const keys = ['Rehearsal', 'Load'].map(
    (name) => () => json('keys', 'create', '--organisation', 'acme', '--name', name, '--scopes', 'all'),
  );
  const made = [(await keys[0]()).api_key, (await keys[1]()).api_key];
  report.expect(
    'workforce',
    'makes an organisation and keys in a container',
    made.every((key) => typeof key === 'string'),
  );
  return made;
}

/**
 * Runs `doctor` in a container of its own, like `docker compose run --rm migrate doctor`: beside a server it
 * would report the server's ports as in use.
 */
async function doctor(container, report) {
  container.output = '';
  container.start([...container.image.command({ command: ['doctor'] })]);
  const code = await container.exited;
  const unwell = container.output.split('\n').filter((line) => /^(warning|failed)/.test(line));
  report.expect(
    'workforce',
    'doctor finds nothing wrong',
    code === 0 && unwell.length === 0,
    unwell.join(' ') || 'all is well',
  );
}

async function writesAndReads(client, key, report) {
  const made = await client('POST', '/people', {
    key,
    body: { work_email: 'ada@acme.example', first_name: 'Ada', job_title: 'Engineer', start_date: '2020-03-02' },
  });
  report.expect('callers', 'write through the proxy over TLS', made.status === 201, `status ${made.status}`);
  const path = `/people/${made.body.data?.id}`;
  const reads = await Promise.all(Array.from({ length: 20 }, () => client('GET', path, { key })));
  report.expect(
    'callers',
    'read at once what was written, from either API',
    reads.every(({ status, body }) => status === 200 && body.data.first_name === 'Ada'),
    '20 reads',
  );
  const refused = await client('GET', path, { key: `${key.slice(0, -4)}0000` });
  report.expect('callers', 'get the security headers', hasSecurityHeaders(made));
  report.expect('callers', 'a wrong key is refused', refused.status === 401);
  const origin = 'https://portal.example.com';
  const preflight = await client('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'PATCH' } });
  report.expect(
    'callers',
    'in a browser are asked for no key by a preflight',
    preflight.status === 204 && preflight.headers['access-control-allow-origin'] === origin,
    `status ${preflight.status}`,
  );
  const sandbox = await client('GET', '/me', { key, port: 8444 });
  report.expect('callers', 'the sandbox takes no live key', sandbox.status === 401);
}

async function webhook({ receiver, report }, client, key) {
  const made = await client('POST', '/webhooks', {
    key,
    body: { name: 'Rehearsal', url: receiver.url, subscribed_events: ['person.created'] },
  });
  report.expect(
    'webhooks',
    'an endpoint outside is taken',
    made.status === 201,
    made.status === 201 ? receiver.url : JSON.stringify(made.body),
  );
  const person = await client('POST', '/people', { key, body: { work_email: 'ben@acme.example' } });
  const begun = Date.now();
  const arrived = await until(() => receiver.received.find(({ body }) => body.includes(person.body.data.id)), 30_000);
  report.expect(
    'webhooks',
    'an event arrives at a public address, over TLS, past the guard',
    arrived !== null,
    arrived === null ? 'nothing came in 30 s' : `${Date.now() - begun} ms after the answer`,
  );
  if (arrived === null) return;
  const { headers, body } = arrived;
  const signature = createHmac('sha256', made.body.data.signing_secret)
    .update(`${headers['service-webhook-timestamp']}.${body}`)
    .digest('hex');
  report.expect('webhooks', 'its signature is right', headers['service-webhook-signature'] === `v1=${signature}`);
}

/** Restarts one process after the other, like an upgrade, while callers continue to read and write. */
async function rollingRestart({ compose, containers, receiver, report }, client, key) {
  const load = underLoad(client, key);
  for (const name of RESTARTED) {
    const container = containers.get(name);
    const { code, milliseconds: took } = await container.stop(milliseconds(compose.services[name].stop_grace_period));
    container.start();
    const start = await container.untilHealthy(container.check);
    // The proxy must notice the restart before the next process stops.
    await wait(2_000);
    report.expect(
      name,
      'stops and starts again',
      code === 0,
      `stopped in ${(took / 1_000).toFixed(1)} s, healthy ${(start / 1_000).toFixed(1)} s after its start`,
    );
  }
  const { statuses, failures, people } = await load.stop();
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  report.expect(
    'rolling restart',
    'no request fails',
    failures.length === 0,
    `${all} requests ${JSON.stringify(statuses)}${failures.length === 0 ? '' : ` ${failures.slice(0, 3).join('; ')}`}`,
  );
  const missing = await until(
    () => (people.every((id) => receiver.received.some(({ body }) => body.includes(id))) ? true : null),
    75_000,
  );
  report.expect(
    'rolling restart',
    'the receiver gets an event for every person made meanwhile',
    missing === true,
    `${people.length} people`,
  );
}

/** Reads, and a tenth of it writes, at a steady pace; `name` begins the addresses of created people. */
function underLoad(client, key, name = 'load') {
  const statuses = {};
  const failures = [];
  const people = [];
  const pending = new Set();
  let isOver = false;
  const call = async (number) => {
    const isWrite = number % 10 === 0;
    try {
      const answer = isWrite
        ? await client('POST', '/people', { key, body: { work_email: `${name}-${number}@acme.example` } })
        : await client('GET', '/me', { key });
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (answer.status === 201) people.push(answer.body.data.id);
      if (answer.status >= 400) failures.push(JSON.stringify(answer.body));
    } catch (error) {
      failures.push(error.message);
    }
  };
  const loop = (async () => {
    for (let number = 1; !isOver; number += 1) {
      const one = call(number).finally(() => pending.delete(one));
      pending.add(one);
      await wait(LOAD_PAUSE_MILLISECONDS);
    }
  })();
  return {
    people,
    stop: async () => {
      isOver = true;
      await loop;
      await Promise.all(pending);
      return { statuses, failures, people };
    },
  };
}

async function withoutEventStore({ containers, report }, client, key) {
  const container = containers.get('eventstore');
  await container.stop(0);
  // Until the APIs report that they are not ready, and the proxy has noticed it.
  await wait(5_000);
  const read = await client('GET', '/people', { key });
  report.expect('event store away', 'reads go on', read.status === 200, `status ${read.status}`);
  // Repeated under its key, as the documentation requires: another key would find the address reserved for a
  // while.
  const writeOnce = () =>
    client('POST', '/people', {
      key,
      body: { work_email: 'away@acme.example' },
      headers: { 'idempotency-key': 'away' },
    });
  const write = await writeOnce();
  report.expect(
    'event store away',
    'a write is refused clearly',
    write.status === 503 && write.headers['retry-after'] !== undefined,
    `status ${write.status}, Retry-After ${write.headers['retry-after']}`,
  );
  container.start();
  await container.untilHealthy(container.check);
  const begun = Date.now();
  const again = await until(async () => ((await writeOnce()).status === 201 ? true : null), 60_000);
  report.expect(
    'event store back',
    'the same write succeeds, without a restart',
    again === true,
    `${((Date.now() - begun) / 1_000).toFixed(1)} s after it was back`,
  );
}

async function withoutRedis({ containers, receiver, report }, client, key) {
  const container = containers.get('redis');
  await container.stop(10_000);
  const made = await client('POST', '/people', { key, body: { work_email: 'hint@acme.example' } });
  report.expect('Redis away', 'writes go on', made.status === 201, `status ${made.status}`);
  container.start();
  await container.untilHealthy(container.check);
  const arrived = await until(
    () => receiver.received.find(({ body }) => body.includes(made.body.data.id)) ?? null,
    90_000,
  );
  report.expect('Redis back', 'the event is delivered by the sweep', arrived !== null);
}
