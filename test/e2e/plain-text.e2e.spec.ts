import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toNewEvents } from '#commands/handle-command.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { HISTORY_FILE, PEOPLE_FILE } from '#people/import/import-columns.js';
import { LOCATION_FILE } from '#organisation/location/location.api.js';
import { TIME_OFF_FILE } from '#time-off/requests/time-off-import.js';
import { PROJECTIONS } from '#composition/registry.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { bodySchemaOf, idKindOf, operationsOf, randomId, type Schema } from '../support/api/document-walk.js';
import { recordEverything } from '../support/api/everything.js';
import { exampleRequest } from '../support/api/example-requests.js';
import { ApiClient, dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { InProcessProgram } from '../support/session/in-process-program.js';
import { temporaryDirectory } from '../support/test-server.js';

const CONTROL = 'must not contain control characters';
const REORDERING = 'must not contain line separators or characters that change the direction of text';
/** Within a text, so that none is white space around it. */
const CONTROLS = ['a\u0000b', 'a\u0007b', 'a\u001b[31mb', 'a\tb', 'a\nb', 'a\u007fb', 'a\u0085b', 'a\u009bb'];
const REORDERINGS = ['a\u2028b', 'a\u2029b', 'a\u202eb', 'a\u2066b', 'a\ufeffb'];
const WRITTEN = ['می‌خواهم', 'ශ්‍රී ලංකාව', 'ភ្នំ\u200bពេញ', '👩‍👩‍👧‍👦 Smith', 'Cafe\u0301', 'חברה\u200f ABC'];

let api: TestApi;
let organisation: TestOrganisation;
let ids: ReadonlyMap<string, string>;
let program: InProcessProgram;
let directory: string;

beforeAll(async () => {
  api = await TestApi.start();
  organisation = await api.organisation();
  ids = await recordEverything(api, organisation);
  program = new InProcessProgram(api.database.url);
  directory = await temporaryDirectory();
});

afterAll(async () => {
  program.stop();
  await rm(directory, { recursive: true, force: true });
  await api.stop();
});

/** Fields of several lines, which take tabs and line feeds. */
const MULTI_LINE: ReadonlySet<string> = new Set(['csv']);

const own = (): string => organisation.row.id;
const isText = (schema: Schema): boolean =>
  [schema.type].flat().includes('string') &&
  schema.enum === undefined &&
  schema.format === undefined &&
  idKindOf(schema) === null;

describe('over HTTP', () => {
  it('no text of a body takes control characters or what turns text around, on any route', async () => {
    const walked: string[] = [];
    for (const one of operationsOf(api.check.document)) {
      const fields = Object.entries(bodySchemaOf(api.check.document, one.operation)?.properties ?? {}).filter(
        ([, schema]) => isText(schema),
      );
      for (const [field, { pattern }] of fields) {
        walked.push(`${one.method} ${one.template} ${field}`);
        for (const [texts, issue] of [
          [CONTROLS, CONTROL],
          [REORDERINGS, REORDERING],
        ] as const) {
          for (const text of texts.filter((one) => !MULTI_LINE.has(field) || !/[\t\n]/.test(one))) {
            const { method, path, options } = exampleRequest(one, (kind) => ids.get(kind) ?? randomId(kind));
            const answer = await organisation.client.send(method, path, {
              ...options,
              body: { ...(options.body as object), [field]: text },
            });
            expect([method, path, field, text, answer.status]).toEqual([method, path, field, text, 400]);
            expectError(answer, 400, 'invalid_request', field);
            // An address and a date have words of their own.
            if (field !== 'url' && (pattern === undefined || pattern === '\\S'))
              expect(answer.json.error.details).toContainEqual({ field, issue });
          }
        }
      }
    }
    expect(walked.length).toBeGreaterThan(25);
    expect(walked).toEqual(
      expect.arrayContaining([
        'POST /people first_name',
        'PATCH /people/{personId} staff_id',
        'PATCH /people/{personId}/employment job_title',
        'POST /people/{personId}/employment-history correction_reason',
        'POST /org-units code',
        'PATCH /webhooks/{webhookId} name',
      ]),
    );
  });

  it('nor does any text of a query', async () => {
    let parameters = 0;
    for (const one of operationsOf(api.check.document)) {
      for (const { name, schema, in: place } of one.operation.parameters) {
        if (place !== 'query' || !isText(schema as Schema) || name === 'cursor') continue;
        parameters += 1;
        const { path } = exampleRequest(one, (kind) => ids.get(kind) ?? randomId(kind));
        const [route, query] = path.split('?');
        const answer = await organisation.client.get(route!, {
          ...Object.fromEntries(new URLSearchParams(query)),
          [name]: 'a\u0007b',
        });
        expectError(answer, 400, 'invalid_request', name);
      }
    }
    expect(parameters).toBeGreaterThan(1);
  });

  it('every name that is written somewhere is taken as it is', async () => {
    const people = new PeopleActions(organisation);
    for (const name of WRITTEN) {
      expect(await people.create({ first_name: name, last_name: name, job_title: name })).toMatchObject({
        first_name: name,
        last_name: name,
        job_title: name,
      });
      expect(dataOf(201, await organisation.client.post<{ name: string }>('/org-units', { name })).name).toBe(name);
    }
  });
});

describe('at the command line', () => {
  const ADDRESS = { 'address-line-1': '1 Long Lane', city: 'Oslo', country: 'NO' };
  const HOME = { 'home-address-line-1': '12 Elm Grove', 'home-address-city': 'Bristol', 'home-address-country': 'GB' };
  const person = (): string => ids.get('person')!;
  type Case = readonly [
    command: string,
    positional: () => readonly string[],
    options: () => Readonly<Record<string, unknown>>,
    texts: readonly string[],
  ];
  const none = (): readonly string[] => [];
  const cases: readonly Case[] = [
    [
      'locations create',
      none,
      () => ({ label: 'Oslo', ...ADDRESS }),
      ['label', 'address-line-1', 'address-line-2', 'address-line-3', 'city', 'region-state', 'postal-code'],
    ],
    [
      'people set-personal',
      () => [person()],
      () => HOME,
      [
        'middle-names',
        'personal-email',
        'personal-phone-number',
        'home-address-line-1',
        'home-address-line-2',
        'home-address-city',
        'home-address-postal-code',
      ],
    ],
    [
      'webhooks create',
      none,
      () => ({ name: 'Payroll', url: 'https://93.184.216.34/', events: 'all' }),
      ['name', 'url'],
    ],
  ];

  it.each(cases)('%s refuses them, and records nothing', async (command, positional, options, texts) => {
    const count = async (): Promise<number> =>
      Number((await api.database.pool.query<{ count: string }>('select count(*) from events')).rows[0]!.count);
    const before = await count();
    for (const option of texts) {
      for (const text of ['a\u0007b', 'a\nb', 'a\u0085b', 'a\u202eb']) {
        const ran = await program.run(command, positional(), { organisation: own(), ...options(), [option]: text });
        expect([option, text, ran.exitCode]).toEqual([option, text, 2]);
        // What is refused is not printed: a terminal would act on it.
        expect(/[\p{Cc}\u2028\u202e]/u.test(ran.stderr.trim())).toBe(false);
      }
    }
    expect(await count()).toBe(before);
  });
});

describe('in files', () => {
  it.each([
    ['people', PEOPLE_FILE.columns],
    ['employment-history', HISTORY_FILE.columns],
    ['time-off', TIME_OFF_FILE.columns],
    ['locations', LOCATION_FILE.columns],
  ])('no cell of %s takes them: each is named once, with its line', async (what, columns) => {
    const texts = ['a\u0007b', 'a\u001b[31mb', 'a\u0085b', 'a\u202eb'];
    const rows = columns.flatMap((column) =>
      texts.map((text) => columns.map((one) => (one === column ? `"${text}"` : ''))),
    );
    const file = join(directory, `${what}.csv`);
    await writeFile(file, [columns.join(','), ...rows.map((row) => row.join(','))].join('\r\n'));
    const ran = await program.run(`import ${what}`, [file], { organisation: own(), json: true });
    const { problems, failed } = JSON.parse(ran.stdout) as {
      problems: readonly { field: string; issue: string }[];
      failed: number;
    };
    expect(failed).toBe(rows.length);
    const told = problems.filter(({ issue }) => issue === CONTROL || issue === REORDERING);
    expect(columns.map((column) => [column, told.filter(({ field }) => field === column).length])).toEqual(
      columns.map((column) => [column, texts.length]),
    );
  });
});

describe('events from before', () => {
  const append = async (stream: string, ...events: readonly DomainEvent[]): Promise<void> => {
    const { store } = api.services;
    const last = (await store.readStream(stream)).at(-1)!;
    await store.append(
      stream,
      last.revision,
      toNewEvents(testContext(own()), stream, events, { previousHash: last.metadata.hash }),
    );
    await api.services.projector.project(api.database.pool, [await store.readStream(stream)]);
  };

  it('replay with such texts, and are read', async () => {
    const [personId, unitId] = [ids.get('person')!, ids.get('org_unit_')!];
    await append(`employment-${own()}.${personId}`, {
      type: 'EmploymentChanged',
      data: { fact_id: randomId('ef_'), start_date: '2024-02-01', terms: { job_title: 'Old\u0007 title\n' } },
    });
    await append(`org-unit-${own()}.${unitId}`, {
      type: 'OrgUnitChanged',
      data: { changes: { name: 'Old\u001b unit' } },
    });
    // The document describes what can be recorded today, so these answers are not compared with it.
    const client = new ApiClient(api.url, organisation.apiKey, { assertKept: () => undefined });
    const read = async (): Promise<unknown> => [
      dataOf<{ job_title: string }>(200, await client.get(`/people/${personId}/employment`)).job_title,
      dataOf<{ name: string }>(200, await client.get(`/org-units/${unitId}`)).name,
    ];
    expect(await read()).toEqual(['Old\u0007 title\n', 'Old\u001b unit']);
    for (const projection of PROJECTIONS.filter(({ name }) => name === 'people' || name === 'org_units')) {
      const { differences } = await rebuild(
        { pool: api.database.pool, eventStore: api.services.store, clock: { now: () => new Date() } },
        projection,
      );
      expect([projection.name, differences]).toEqual([projection.name, 0]);
    }
    expect(await read()).toEqual(['Old\u0007 title\n', 'Old\u001b unit']);
    // The rest of such a person can still be changed.
    const people = new PeopleActions({ client });
    expect(await people.identity(personId, { first_name: 'Augusta' })).toMatchObject({ first_name: 'Augusta' });
    client.close();
  });
});
