import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { addDays, type LocalDate } from '#kernel/dates.js';
import { publicEventsOf } from '#webhooks/publish/public-events.js';
import { runEffectiveDateJob } from '#people/timeline/effective-date-job.js';
import { AGGREGATES } from '#composition/registry.js';
import { readAllAfter } from '../contract/event-store.support.js';
import { type ApiClient, dataOf, tagOf } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { allReadable } from '../support/postgres.js';
import { sync } from '../../docs/examples/sync/sync.js';
import { effectStreamOf } from '../support/people/effects.js';

const WRITERS = 6;
const PEOPLE_OF_A_WRITER = 3;
/** Rounds of writes of each writer on each day. */
const STEPS = 8;
const FIRST_DAY: LocalDate = '2026-06-15';
const DAYS = 4;

let today: LocalDate = FIRST_DAY;
const clock = { now: () => new Date(`${today}T12:00:00Z`) };

/** One at each of two instances over the same database. */
let clients: readonly [ApiClient, ApiClient];

const api = TestApi.forSpec({ clock });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

beforeAll(async () => {
  clients = [organisation.client, api.client(organisation.apiKey, await api.startAnother())];
});

const EXAMPLES = resolve(__dirname, '../../docs/examples/sync');
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;
/** Small, so that changes come between the pages of a run. */
const PAGE_SIZE = 5;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-storm-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The copy that the recipe of the documentation keeps, reading from both instances in turn. */
class Copy {
  rows: ReadonlyMap<string, unknown> = new Map<string, unknown>();
  private rounds = 0;

  constructor(private readonly language: 'TypeScript' | 'Python') {}

  async round(): Promise<void> {
    this.rounds += 1;
    const { url, apiKey } = clients[this.rounds % 2]!;
    this.rows = new Map(
      this.language === 'TypeScript'
        ? Object.entries((await sync(url, apiKey!, join(folder, 'copy.json'), PAGE_SIZE)).rows)
        : await this.runPython(url, apiKey!),
    );
  }

  private async runPython(url: string, apiKey: string): Promise<readonly (readonly [string, unknown])[]> {
    const file = join(folder, 'copy.db');
    const run = promisify(execFile);
    const options = { env: { ...process.env, WORKFORCE_API_KEY: apiKey } };
    await run('python3', ['-B', join(EXAMPLES, 'sync.py'), url, file, String(PAGE_SIZE)], options);
    const { stdout } = await run('python3', ['-c', PRINT_ROWS, file], { maxBuffer: 100_000_000 });
    return Object.entries(JSON.parse(stdout) as Record<string, unknown>);
  }
}

const PRINT_ROWS =
  'import json, sqlite3, sys; print(json.dumps({i: json.loads(r) for i, r in sqlite3.connect(sys.argv[1]).execute("select id, row from people")}))';

/** Whether somebody works on a day, as the guide says: by the dates alone. */
function works({ start_date: start, end_date: end }: Person, day: LocalDate): boolean {
  return (start === null || start <= day) && (end === null || day <= end);
}

/** The fact that ends the employment: an end, or the last correction of one. */
async function endInForce(id: string): Promise<string> {
  const ends = new Set<string | null>();
  for (const { fact_id, action, corrects, withdraws } of await people.facts(id))
    if (action === 'end' || (withdraws === undefined && corrects !== null && ends.has(corrects))) ends.add(fact_id);
  return (await people.facts(id)).findLast(({ fact_id, corrected_by }) => ends.has(fact_id) && corrected_by === null)!
    .fact_id;
}

/** One change of a person; nobody else changes them, but the day may. */
async function change(client: ApiClient, id: string, step: number): Promise<void> {
  const read = await client.get<Person>(`/people/${id}`);
  const { status, start_date: start, end_date: end } = dataOf(200, read);
  const ifMatch = tagOf(read);
  if (status === 'ended') {
    const corrects = await endInForce(id);
    const isTakenBack = end! >= today || step % 3 === 0;
    const body = isTakenBack
      ? { corrects, correction_reason: 'The resignation was withdrawn.', withdraw: true }
      : { corrects, correction_reason: 'The letter says so.', start_date: addDays(today, 1) };
    dataOf(201, await client.post(`/people/${id}/employment-history`, body));
    return;
  }
  const answer = await (step % 3 === 0
    ? client.post(`/people/${id}/end`, { end_date: start! > today ? start : addDays(today, step % 2) }, { ifMatch })
    : step % 3 === 1
      ? client.patch(`/people/${id}`, { first_name: `Step ${step}` }, { ifMatch })
      : client.post(`/people/${id}/employment-history`, {
          start_date: addDays(today, 1),
          job_title: `Step ${step}`,
          correction_reason: 'It was agreed.',
        }));
  // The day came between the read and the write: what was read shows other terms.
  if (answer.status === 412) return change(client, id, step);
  expect([200, 201]).toContain(answer.status);
}

it(`a copy by the recipe in ${HAS_PYTHON ? 'TypeScript and in Python' : 'TypeScript (python3 is absent: sync.py is not run)'} is right after each of ${DAYS} days of hires, promotions, ends and withdrawals by ${WRITERS} writers, and is told of every first and last day`, async () => {
  const copies = [new Copy('TypeScript'), ...(HAS_PYTHON ? [new Copy('Python')] : [])];
  const ids: string[] = [];
  for (const [index, day] of Array.from({ length: DAYS }, (_, one) => addDays(FIRST_DAY, one)).entries()) {
    today = day;
    const job = { pool: api.database.pool, eventStore: api.services.store, projector: api.services.projector, clock };
    let isWriting = true;
    const write = async (writer: number): Promise<void> => {
      const own: string[] = [];
      for (let person = 0; person < PEOPLE_OF_A_WRITER; person += 1) {
        const start_date = addDays(day, person % 2);
        own.push(
          dataOf(201, await clients[person % 2]!.post<Person>('/people', { work_email: newEmail(), start_date })).id,
        );
      }
      ids.push(...own);
      for (let step = 0; step < STEPS; step += 1)
        await change(clients[(writer + step) % 2]!, own[step % own.length]!, step + writer);
    };
    const follow = async (copy: Copy): Promise<void> => {
      while (isWriting) await copy.round();
    };
    const roll = async (): Promise<void> => {
      while (isWriting) await runEffectiveDateJob(job);
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(
      () => (isWriting = false),
    );
    await Promise.all([writing, ...copies.map(follow), roll(), roll()]);
    await runEffectiveDateJob(job);
    for (const copy of copies) {
      await copy.round();
      expect(copy.rows.size).toBe((index + 1) * WRITERS * PEOPLE_OF_A_WRITER);
      for (const id of ids) expect(copy.rows.get(id)).toEqual(await people.person(id));
    }
  }
  // The day after the last writes: nobody writes, and the copy learns of all that the day brings.
  today = addDays(today, 1);
  await runEffectiveDateJob({
    pool: api.database.pool,
    eventStore: api.services.store,
    projector: api.services.projector,
    clock,
  });
  for (const copy of copies) await copy.round();
  for (const copy of copies) expect(copy.rows).toEqual(copies[0]!.rows);
  const world = { eventStore: api.services.store } as Parameters<typeof effectStreamOf>[0];
  for (const person of copies[0]!.rows.values() as Iterable<Person>) {
    const { employed } = await people.timeline(person.id, { as_of: today });
    expect([person.id, works(person, today)]).toEqual([person.id, employed]);
    const told = await effectStreamOf(world, organisation.row.id, person.id);
    expect(new Set(told).size).toBe(told.length);
    if (person.end_date !== null && person.end_date < today && person.end_date >= FIRST_DAY)
      expect(told).toContain(addDays(person.end_date, 1));
  }
  // Everything that was recorded is told once, and what takes effect later a second time, on its day.
  await allReadable(api.database.pool);
  const log = await readAllAfter(api.services.store, null);
  const events = publicEventsOf(api.services.mint, AGGREGATES, log);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const recorded = (type: string): number => log.filter((event) => event.type === type).length;
  const updates = [
    'PersonIdentityChanged',
    'EmploymentCorrected',
    'EmploymentFactWithdrawn',
    'EmploymentTookEffect',
  ].map(recorded);
  expect(events.filter(({ type }) => type === 'person.updated')).toHaveLength(
    updates.reduce((sum, one) => sum + one, 0),
  );
  expect(Math.min(...updates)).toBeGreaterThan(0);
});
