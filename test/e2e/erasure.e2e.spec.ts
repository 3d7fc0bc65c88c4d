import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ERASED_ISSUE } from '#kernel/erasure.js';
import { addDays, dateIn } from '#kernel/dates.js';
import { readBackup } from '#database/backup/backup-file.js';
import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import { firstBrokenLink } from '../support/hash-chain.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { erasePerson } from '../support/people/erase-person.js';
import { findErasure } from '#people/erasure/erasure-list.js';
import { PeopleWriter } from '#people/record/people-writer.js';
import { personKeyOf } from '#people/person/person-keys.js';
import { PROJECTIONS } from '#composition/registry.js';
import type { Pool } from 'pg';
import { exampleRequest } from '../support/api/example-requests.js';
import { dataOf } from '../support/api/http-client.js';
import { MarkerSearch } from '../support/api/markers.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import { MARKERS, textsOf } from '../support/api/private-values.js';
import { PrivateSetting } from '../support/api/private-setting.js';
import { type RecordedWrite, leaveTraces, TRACES } from '../support/api/traces-of-a-person.js';
import { testContext } from '../support/command-services.js';
import { recordedEvents } from '../support/event-store.js';
import { followLog } from '../support/follow-log.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { PendingReceipt } from '#commands/receipts/receipts.js';
import { newPersonKey } from '#people/record/email-addresses.js';
import { locksAwaited } from '../support/lock-waits.js';
import { forwardCalls } from '#event-store/forward-calls.js';
import { personAggregate } from '#people/person/person.js';

/** Job titles and reasons of corrections are kept as terms of the employment, and nowhere else. */
const TERMS: ReadonlySet<string> = new Set(['reason', 'title']);
const HAS_EVENTS_IN_POSTGRES = process.env['WORKFORCE_TEST_EVENT_STORE'] !== 'eventstoredb';
const TABLES_WITH_TERMS = [
  'public.employment_beliefs',
  'public.employment_facts',
  ...(HAS_EVENTS_IN_POSTGRES ? ['public.events'] : []),
  'public.people',
];
const PLANTED = [...MARKERS, ...TRACES];
const SEARCH = new MarkerSearch(PLANTED.filter(({ kind }) => !TERMS.has(kind)));
const SEARCH_OF_TERMS = new MarkerSearch(PLANTED.filter(({ kind }) => TERMS.has(kind)));
const ERASED = {
  first_name: '[erased]',
  preferred_name: null,
  last_name: null,
  display_name: '[erased]',
  staff_id: null,
  work_email: 'erased@erased.invalid',
};
const REFUSED = {
  code: 'conflict',
  details: [{ field: 'person_id', issue: 'the personal data of this person was erased' }],
};

let setting: PrivateSetting;
let people: PeopleActions;
let creation: { readonly body: object; readonly idempotencyKey: string };
let created: string;
let kept: readonly RecordedWrite[];

beforeAll(async () => {
  setting = await PrivateSetting.make();
  people = new PeopleActions({ client: setting.everybody });
  creation = {
    body: { work_email: newEmail(), first_name: textsOf('name')[0], manager_id: setting.personId },
    idempotencyKey: randomUUID(),
  };
  created = dataOf<{ id: string }>(201, await setting.everybody.post('/people', creation.body, creation)).id;
  kept = await leaveTraces(setting);
});

afterAll(() => setting.end());

const pool = (): Pool => setting.api.database.pool;

/** Tables of every schema that have a private text in any column. */
async function tablesWithMarkers(search = SEARCH): Promise<readonly string[]> {
  const { rows: tables } = await pool().query<{ name: string }>(
    "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool().query<{ text: string | null }>(
      `select string_agg(t::text, chr(10)) as text from ${name} t`,
    );
    if (search.kindsIn(rows[0]!.text ?? '').length > 0) found.push(name);
  }
  return found.sort();
}

/** Each table of a backup with its rows as text. */
async function tablesOfBackup(file: string): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const tables: { name: string; text: string }[] = [];
  for await (const part of readBackup(file)) {
    if (part.kind === 'table') tables.push({ name: part.name, text: '' });
    if (part.kind === 'rows') tables.at(-1)!.text += part.bytes.toString('utf8');
  }
  return tables;
}

/** Of those whom the tests erase, whatever was recorded of their employment. */
const FINAL_DAY = '2030-06-30';

async function erase(personId: string, options: Readonly<Record<string, unknown>> = {}) {
  return setting.program.run('people erase', [personId], {
    organisation: setting.organisation.row.id,
    yes: true,
    json: true,
    'end-on': FINAL_DAY,
    ...options,
  });
}

describe('erasing a person', () => {
  it('asks whether it is meant', async () => {
    const { exitCode, stdout } = await erase(setting.personId, { yes: null });
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      2,
      { error: { message: 'An erasure cannot be undone: confirm it with --yes.' } },
    ]);
    const withIdentity = [
      'public.idempotency_receipts',
      'public.people',
      'public.rebuild_people',
      'public.work_email_reservations',
    ];
    const withExternalIds = [
      'public.provider_external_ids',
      'public.provider_mappings',
      'public.rebuild_provider_mappings',
    ];
    expect(await tablesWithMarkers()).toEqual([...withIdentity, ...withExternalIds, 'public.imports'].sort());
    expect(await tablesWithMarkers(SEARCH_OF_TERMS)).toEqual(
      [
        ...TABLES_WITH_TERMS,
        'public.idempotency_receipts',
        'public.rebuild_employment_beliefs',
        'public.rebuild_employment_facts',
        'public.rebuild_people',
      ].sort(),
    );
  });

  it('leaves nothing that was private in any column of any table, nor in any answer, which all keep to the document', async () => {
    const { exitCode, stdout, stderr } = await erase(setting.personId, { reason: 'Asked for it in a letter' });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      person_id: setting.personId,
      reason: 'Asked for it in a letter',
      actor: { type: 'operator' },
      completed_at: expect.any(String),
    });
    expect((await erase(created)).exitCode).toBe(0);
    expect(await tablesWithMarkers()).toEqual([]);
    expect(await tablesWithMarkers(SEARCH_OF_TERMS)).toEqual(TABLES_WITH_TERMS);
    for (const walked of setting.operations().filter(({ method }) => method === 'GET')) {
      const { path } = exampleRequest(walked, (kind) => setting.idOf(kind));
      const url = new URL(path, 'http://x');
      for (const [name, value] of Object.entries({ from: '2023-12-01', to: '2024-12-31' }))
        if (url.searchParams.has(name)) url.searchParams.set(name, value);
      const answer = await setting.everybody.get(`${url.pathname}${url.search}`);
      const expected = walked.operation.operationId === 'getAvatar' ? 404 : 200;
      expect([walked.template, answer.status, SEARCH.kindsIn(answer.text)]).toEqual([walked.template, expected, []]);
    }
    expect(setting.logged.said()).not.toContain('Asked for it');
  });

  it('leaves nothing that was private in a backup or an export that is made after it, and terms among events and employment alone', async () => {
    const [backup, events] = [join(setting.directory, 'after.backup'), join(setting.directory, 'after.events')];
    expect((await setting.program.run('events export', [events])).exitCode).toBe(0);
    // Backups are of PostgreSQL alone, and refused where events are elsewhere.
    if (HAS_EVENTS_IN_POSTGRES) expect((await setting.program.run('backup', [backup])).exitCode).toBe(0);
    for (const file of HAS_EVENTS_IN_POSTGRES ? [backup, events] : [events]) {
      const content = await readFile(file);
      const text = (content[0] === 0x1f ? gunzipSync(content) : content).toString('latin1');
      expect([file, text.length > 10_000, SEARCH.kindsIn(text)]).toEqual([file, true, []]);
      expect([...SEARCH_OF_TERMS.kindsIn(text)]).toEqual([...TERMS].sort());
    }
    if (HAS_EVENTS_IN_POSTGRES)
      expect(
        (await tablesOfBackup(backup))
          .filter(({ text }) => SEARCH_OF_TERMS.kindsIn(text).length > 0)
          .map(({ name }) => `public.${name}`)
          .sort(),
      ).toEqual(TABLES_WITH_TERMS);
  });

  it('answers a retry of what was done before with nothing of them, and keeps no such answer', async () => {
    for (const { method, path, options } of kept) {
      const answer = await setting.everybody.send(method, path, options);
      expect([method, path, SEARCH.kindsIn(answer.text), SEARCH_OF_TERMS.kindsIn(answer.text)]).toEqual([
        method,
        path,
        [],
        [],
      ]);
    }
    expect(await tablesWithMarkers()).toEqual([]);
    expect(await tablesWithMarkers(SEARCH_OF_TERMS)).toEqual(TABLES_WITH_TERMS);
  });

  it('shows who they were as erased, and their dates and terms as they were', async () => {
    expect(await people.person(setting.personId)).toMatchObject({
      ...ERASED,
      status: 'ended',
      end_date: FINAL_DAY,
      start_date: '2024-01-01',
    });
    const timeline = await people.timeline(setting.personId);
    expect(timeline.segments[0]).toMatchObject({
      effective_from: '2024-01-01',
      employed: true,
      job_title: 'Engineer',
      correction_reason: textsOf('reason')[0],
    });
    const profile = dataOf<Record<string, unknown>>(
      200,
      await setting.everybody.get(`/people/${setting.personId}/personal`),
    );
    expect(profile).toMatchObject({
      middle_names: null,
      date_of_birth: null,
      home_address: null,
      personal_email: null,
    });
    const values = dataOf<{ values: readonly { value: unknown }[] }>(
      200,
      await setting.everybody.get(`/people/${setting.personId}/custom-fields`),
    );
    expect(values.values.map(({ value }) => value)).toEqual(values.values.map(() => null));
    const documents = dataOf<readonly { name: string; person: object }[]>(
      200,
      await setting.everybody.get('/documents', { person_id: setting.personId }),
    );
    for (const document of documents)
      expect(document).toMatchObject({ name: '[erased]', person: { id: setting.personId, display_name: '[erased]' } });
    expect(documents.length).toBeGreaterThan(0);
    const printed = await setting.program.run('timeline', [setting.personId]);
    expect(printed.stdout).toContain(`[erased] (${setting.personId}), timeline version`);
  });

  it('is listed, once, with who and why', async () => {
    expect((await erase(setting.personId, { reason: 'Again' })).exitCode).toBe(0);
    const { stdout } = await setting.program.run('people erasures', [], {
      organisation: setting.organisation.row.id,
      json: true,
    });
    const { erasures } = JSON.parse(stdout) as { erasures: readonly { person_id: string; reason: string | null }[] };
    expect(erasures.map(({ person_id, reason }) => [person_id, reason])).toEqual([
      [setting.personId, 'Asked for it in a letter'],
      [created, null],
    ]);
    const stream = await setting.api.services.store.readStream(
      personAggregate.streamOf(setting.organisation.row.id, setting.personId),
    );
    expect(stream.filter(({ type }) => type === 'PersonErased')).toMatchObject([
      { data: { reason: 'Asked for it in a letter' }, metadata: { actor: { type: 'operator' } } },
    ]);
  });

  it('refuses every write of them from then on', async () => {
    const id = setting.personId;
    const today = dateIn('UTC', new Date());
    const tag = await people.personTag(id);
    const category = setting.idOf('toc_');
    const { client } = setting.organisation;
    const values = await setting.everybody.get<{ values: readonly { field_id: string }[] }>(
      `/people/${id}/custom-fields`,
    );
    const { values: shown } = dataOf(200, values);
    const answers = [
      await client.patch(`/people/${id}`, { first_name: 'Ada' }, { ifMatch: tag }),
      await client.patch(
        `/people/${id}/employment`,
        { start_date: today, job_title: 'X' },
        { ifMatch: await people.employmentTag(id) },
      ),
      await client.post(`/people/${id}/employment-history`, {
        start_date: today,
        job_title: 'X',
        correction_reason: 'X',
      }),
      await client.post(`/people/${id}/end`, { end_date: today }, { ifMatch: tag }),
      await client.post(`/people/${id}/reactivate`, { start_date: addDays(today, 9) }, { ifMatch: tag }),
      await client.patch(
        `/people/${id}/custom-fields`,
        { values: [{ field_id: shown[0]!.field_id, value: null }] },
        { ifMatch: String(values.headers['service-resource-etag']) },
      ),
      await client.post('/time-off', {
        person_id: id,
        category_id: category,
        start_date: addDays(today, 1),
        end_date: addDays(today, 1),
      }),
      await client.post(`/time-off/${setting.idOf('to_')}/cancel`, undefined),
      await client.patch(`/time-off/${setting.idOf('to_')}`, { end_date: '2026-08-06' }),
      await client.post(`/people/${id}/time-off-balance/adjustments`, {
        category_id: category,
        amount_minutes: 60,
        effective_date: today,
        reason_code: 'grant',
      }),
      await client.post('/people', creation.body, creation),
    ];
    for (const [index, answer] of answers.entries())
      expect([index, answer.status, answer.json.error]).toMatchObject([index, 409, REFUSED]);
    for (const name of ['people set-personal', 'custom-fields set']) {
      const options = name === 'people set-personal' ? { 'middle-names': 'X' } : { value: 'of_payroll=X' };
      const ran = await setting.program.run(name, [id], { organisation: setting.organisation.row.id, ...options });
      expect([name, ran.exitCode, ran.stderr.trim()]).toEqual([
        name,
        3,
        'The personal data of this person was erased.',
      ]);
    }
  });

  it('frees the e-mail address, and the key comes back in no way', async () => {
    await people.create({ work_email: textsOf('email')[0]!.replace('zarathustra', 'Zarathustra') });
    const owner = [setting.organisation.row.id, setting.personId];
    const place = { organisationId: owner[0]!, personId: owner[1]! };
    await expect(newPersonKey(pool(), place, false)).rejects.toThrow(ERASED_ISSUE);
    await pool().query('update person_keys set key = $3 where organisation_id = $1 and person_id = $2', [
      ...owner,
      Buffer.alloc(32, 1),
    ]);
    expect(await personKeyOf(pool(), owner[0]!, owner[1]!)).toBeNull();
  });

  it('leaves tables that are the same when built anew, and whole chains of hashes', async () => {
    await followLog(setting.api.services, pool());
    for (const projection of PROJECTIONS) {
      const { differences } = await rebuild(
        { pool: pool(), eventStore: setting.api.services.store, clock: { now: () => new Date() } },
        projection,
      );
      expect([projection.name, differences]).toEqual([projection.name, 0]);
    }
    const names = [...new Set((await recordedEvents(pool())).map(({ stream }) => stream))];
    const streams: readonly (readonly RecordedEvent[])[] = await setting.api.services.store.readStreams(names);
    for (const stream of streams)
      expect([stream[0]!.stream, firstBrokenLink(stream)]).toEqual([stream[0]!.stream, null]);
    expect(new Set(streams.map((stream) => categoryOf(stream[0]!.stream))).has('person')).toBe(true);
  });
});

describe('an erasure that breaks off', () => {
  it('is finished by doing it again, wherever it broke off', async () => {
    const search = new MarkerSearch([{ kind: 'name', text: 'Marigold-Breaking' }]);
    const id = await newPerson('Marigold-Breaking');
    const organisationId = setting.organisation.row.id;
    let steps = 0;
    for (let last = 1; ; last += 1) {
      const broken = breakingAfter(last);
      const finished = await erasePerson(broken.services, testContext(organisationId), {
        person_id: id,
        reason: null,
      }).then(
        () => true,
        (error: Error) => expect(error.message).toBe('broken off') === undefined && false,
      );
      const erasure = await findErasure(pool(), organisationId, id);
      // The intent is durable before anything is destroyed.
      if ((await personKeyOf(pool(), organisationId, id)) === null) expect(erasure).not.toBeNull();
      steps = last;
      if (finished) break;
    }
    expect(steps).toBeGreaterThan(8);
    expect((await findErasure(pool(), organisationId, id))!.completed_at).not.toBeNull();
    expect(await tablesWithMarkers(search)).toEqual([]);
    expect(await people.person(id)).toMatchObject(ERASED);
  });

  it('of one that knew the key before, writes nothing after it', async () => {
    const id = await newPerson('Marigold-Racing');
    const organisationId = setting.organisation.row.id;
    const { services } = setting.api;
    const key = (await personKeyOf(pool(), organisationId, id))!;
    const loaded = await services.store.readStream(personAggregate.streamOf(organisationId, id));
    await erasePerson(services, testContext(organisationId), { person_id: id, reason: null });
    const eventStore = { ...forwardCalls(services.store), readStream: () => Promise.resolve(loaded) };
    const writer = new PeopleWriter({ pool: pool(), eventStore, projector: services.projector, mint: services.mint });
    const late = writer.changeIdentity(testContext(organisationId), id, key, { first_name: 'Late' }, () => undefined);
    await expect(late).rejects.toThrow('was expected at');
    await services.projector.project(pool(), [loaded], { today: () => '2026-01-01', personKey: () => key });
    expect(await people.person(id)).toMatchObject(ERASED);
  });

  it('takes its reason from a list of erasures as it is there, and a new one only as a text of one line', async () => {
    const id = await newPerson('Marigold-Reason');
    const requested = { person_id: id, reason: 'Asked for it\nin a letter' };
    const context = testContext(setting.organisation.row.id);
    await expect(erasePerson(setting.api.services, context, requested)).rejects.toThrow(
      'must not contain control characters',
    );
    expect(await findErasure(pool(), setting.organisation.row.id, id)).toBeNull();
    expect(
      await erasePerson(setting.api.services, context, { ...requested, requested_at: '2026-01-05T09:00:00.000Z' }),
    ).toMatchObject({
      reason: requested.reason,
      completed_at: expect.any(String),
    });
  });

  it('waits for a request that is being recorded, and has one that was planned before planned again', async () => {
    const id = await newPerson('Marigold-Waiting');
    const { services } = setting.api;
    const organisationId = setting.organisation.row.id;
    const receipt = (answerOf: () => string): PendingReceipt => ({
      key: { organisationId, environment: 'live', keyId: 'key_x', idempotencyKey: randomUUID() },
      fingerprint: 'f',
      requestId: 'req_under_way',
      erasures: 0,
      answerOf: () => ({ status: 200, body: answerOf(), entityTag: null }),
    });
    const nameOf = async (): Promise<string> =>
      `{"data":{"id":"${id}","first_name":"${(await people.person(id)).first_name}"}}`;
    const { rows } = await pool().query<{ erasures: number }>(
      'select count(*)::integer as erasures from person_keys where organisation_id = $1 and key is null',
      [organisationId],
    );
    const { erasures } = rows[0]!;
    let erased: Promise<unknown> = Promise.resolve();
    const plan =
      (during: () => Promise<void>) =>
      async ({ unit }: UnitContext): Promise<() => void> => {
        seen = await nameOf();
        unit.write(during);
        return () => undefined;
      };
    let seen = '';
    const recorded = commit(
      services,
      { ...testContext(organisationId), receipt: { ...receipt(() => seen), erasures } },
      plan(async () => {
        erased = erasePerson(services, testContext(organisationId), { person_id: id, reason: null });
        await locksAwaited(pool());
      }),
    );
    await recorded;
    await erased;
    const plannedBefore = { ...receipt(() => seen), erasures };
    await commit(
      services,
      { ...testContext(organisationId), receipt: plannedBefore },
      plan(() => Promise.resolve()),
    );
    expect(seen).toContain('[erased]');
    expect(await tablesWithMarkers(new MarkerSearch([{ kind: 'name', text: 'Marigold-Waiting' }]))).toEqual([]);
  });
});

async function newPerson(name: string): Promise<string> {
  const { id } = await people.create({ first_name: name, last_name: name, staff_id: name, start_date: '2025-01-01' });
  await people.identity(id, { preferred_name: name });
  return id;
}

/** Services that fail at their n-th statement or append, as though the process was killed there. */
function breakingAfter(steps: number) {
  const { services } = setting.api;
  let left = steps;
  const guarded = <Target extends object>(target: Target, names: readonly string[]): Target =>
    new Proxy(target, {
      get: (object, name) => {
        const member = Reflect.get(object, name) as unknown;
        if (typeof member !== 'function') return member;
        if (!names.includes(String(name))) return member.bind(object) as unknown;
        return (...values: unknown[]) =>
          (left -= 1) < 0 ? Promise.reject(new Error('broken off')) : (member.apply(object, values) as unknown);
      },
    });
  return {
    services: {
      ...services,
      executor: guarded(services.executor as Pool, ['query']),
      store: guarded(services.store, ['append']),
    },
  };
}
