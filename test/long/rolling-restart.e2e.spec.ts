import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { ApiClient } from '../support/api/http-client.js';
import type { Person } from '../support/api/shapes.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { Installation } from '../support/faults/installation.js';
import { Proxy } from '../support/faults/proxy.js';
import { testSize } from '../support/test-size.js';

jest.setTimeout(3_600_000);

/** The whole is the run of `docs/reference/tests.md`; every run has a smaller one. */
const RATE = testSize('ROLLING_RATE', { usual: 30 });
const ROUNDS = testSize('ROLLING_ROUNDS', { usual: 1 });
/**
 * A machine that others use may not keep up with the rate: requests are then left out, and the figure says
 * so.
 */
const MAX_CONCURRENT = 100;

let installation: Installation;
let proxy: Proxy;
let client: ApiClient;

beforeAll(async () => {
  // Longer than the proxy takes to notice, also where the machine is busy.
  installation = await Installation.start({ environment: { DRAIN_SECONDS: '4', SHUTDOWN_SECONDS: '60' } });
  const services = await servicesOf({ url: installation.url, pool: installation.pool, drop: () => Promise.resolve() });
  const { apiKey } = await newKey(services, await newOrganisation(services));
  const names = ['api 1', 'api 2', 'worker 1', 'worker 2'];
  await Promise.all(names.map((name) => installation.launch(name)));
  installation.superviseFromNowOn();
  await Promise.all(names.map((name) => installation.untilReady(name)));
  proxy = new Proxy(
    installation.apis.map((name) => ({
      name,
      address: installation.addressOf(name),
      health: `${installation.operationsOf(name)}/health/ready`,
    })),
  );
  const address = await proxy.start();
  const document = (await (await fetch(`${address}/api/v1/openapi.json`)).json()) as OpenApiDocument;
  client = new ApiClient(address, apiKey, new AnswerCheck(document));
});

afterAll(async () => {
  client?.close();
  await proxy?.stop();
  await installation.stop();
});

/** Sends at a steady rate, whether or not answers come, and asks for nothing again. */
class Load {
  readonly failures: string[] = [];
  readonly created: string[] = [];
  answered = 0;
  leftOut = 0;
  private readonly inFlight = new Set<Promise<void>>();
  private isEnding = false;
  private sending: Promise<void> = Promise.resolve();

  begin(): void {
    this.sending = this.send();
  }

  async end(): Promise<void> {
    this.isEnding = true;
    await this.sending;
    await Promise.all(this.inFlight);
  }

  private async send(): Promise<void> {
    const began = performance.now();
    for (let sent = 0; !this.isEnding;) {
      const due = Math.floor(((performance.now() - began) / 1_000) * RATE);
      for (; sent < due; sent += 1) {
        if (this.inFlight.size >= MAX_CONCURRENT) this.leftOut += 1;
        else this.sendOne(sent);
      }
      await wait(2);
    }
  }

  private sendOne(number: number): void {
    const exchange = this.exchange(number)
      .then(() => void (this.answered += 1))
      .catch((error: unknown) => void this.failures.push(String(error)))
      .finally(() => this.inFlight.delete(exchange));
    this.inFlight.add(exchange);
  }

  private async exchange(number: number): Promise<void> {
    const known = this.created.at(-1 - (number % 50));
    if (number % 3 === 0 || known === undefined) {
      const answer = await client.post<Person>('/people', { work_email: `${randomUUID()}@example.com` });
      if (answer.status !== 201) throw new Error(`POST answered ${answer.status}: ${answer.text}`);
      this.created.push(answer.json.data.id);
      return;
    }
    const answer = await client.get(number % 3 === 1 ? `/people/${known}` : '/people?limit=5');
    if (answer.status !== 200) throw new Error(`GET answered ${answer.status}: ${answer.text}`);
  }
}

it(`no request of ${RATE} a second fails while every API and every worker is started anew, one after the other, ${ROUNDS} times`, async () => {
  const load = new Load();
  const began = performance.now();
  load.begin();
  const codes: (number | null)[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of installation.names) {
      codes.push(await installation.end(name, 'SIGTERM'));
      await installation.launch(name);
      await installation.untilReady(name);
      // Until the proxy has turned to it again.
      const before = proxy.sent[name];
      while (name.startsWith('api') && proxy.sent[name] === before) await wait(20);
    }
  }
  await load.end();
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(
    `${load.answered} requests in ${seconds.toFixed(1)} s (${Math.round(load.answered / seconds)} a second, ${load.leftOut} left out), ${load.failures.length} failed\n`,
  );
  expect(load.failures).toEqual([]);
  expect(codes).toEqual(codes.map(() => 0));
  const { rows } = await installation.pool.query<{ count: number }>(
    `select count(*)::int as count from events where type = 'PersonCreated'`,
  );
  expect([rows[0]!.count, new Set(load.created).size]).toEqual([load.created.length, load.created.length]);
});
