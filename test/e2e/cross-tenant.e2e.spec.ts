import { randomUUID } from 'node:crypto';
import { generateApiKey } from '#identifiers/api-key.js';
import { addDays } from '#kernel/dates.js';
import {
  bodySchemaOf,
  idKindOf,
  operationsOf,
  randomId,
  resolved,
  type Schema,
  type WalkedOperation,
} from '../support/api/document-walk.js';
import { tagForWriteAt } from '../support/api/derived-requests.js';
import { recordEverything } from '../support/api/everything.js';
import { type ApiAnswer, dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';

let own: TestOrganisation;
let foreign: TestOrganisation;
let people: PeopleActions;
/** Ids of the other organisation by their kind. */
let foreignIds: ReadonlyMap<string, string>;
/** Of our own, by kind: what a path or a body must name beside the id that is tried. */
let ownIds: ReadonlyMap<string, string>;
/** The same by the names of fields, where it may not be any id of its kind. */
let ownNeeds: Readonly<Record<string, string>>;
const AUGUST = { start_date: '2026-08-03', end_date: '2026-08-07' };

const api = TestApi.forSpec();

beforeAll(async () => {
  [own, foreign] = [await api.organisation(), await api.organisation()];
  people = new PeopleActions(own);
  const ourTimeOff = new TimeOffActions(api, own);
  ownNeeds = { person_id: await ourTimeOff.person(), category_id: await ourTimeOff.category() };
  ownIds = new Map([
    ...(await recordEverything(api, own)),
    ['to_', (await ourTimeOff.create({ ...AUGUST, ...ownNeeds })).id],
  ]);
  // The second of everything makes another page of every list.
  await recordEverything(api, foreign);
  foreignIds = await recordEverything(api, foreign);
});

function foreignId(kind: string): string {
  const id = foreignIds.get(kind);
  if (id === undefined) throw new Error(`this test has no ${kind} id of the other organisation: give it one`);
  return id;
}

/**
 * What is no id of this kind at all: too short, empty, of characters that no database takes, an id of another
 * kind, endless.
 */
function malformedIds(kind: string): readonly string[] {
  return [
    'x',
    '',
    'x\u0000',
    '\ud800',
    'a\nb',
    ` ${randomId(kind)}`,
    randomId(kind === 'wp_' ? 'wt_' : 'wp_'),
    'x'.repeat(2_000),
  ];
}

/**
 * Everything of an answer that may not differ, headers included. Request ids grow in length with their count.
 */
function told({ status, headers, text }: ApiAnswer): unknown {
  const { date: _, ratelimit: __, 'content-length': ___, 'service-request-id': requestId, ...rest } = headers;
  return { status, headers: rest, text: text.replace(String(requestId), '…') };
}

function fill(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
}

const pathParametersOf = ({ operation }: WalkedOperation): WalkedOperation['operation']['parameters'] =>
  operation.parameters.filter((parameter) => parameter.in === 'path');

/** A body that is good but for the ids it could name: those it needs are our own, all others are left out. */
function plainBody(walked: WalkedOperation): Record<string, unknown> | undefined {
  const schema = bodySchemaOf(api.check.document, walked.operation);
  if (schema === null) return undefined;
  const example = walked.operation.requestBody!.content['application/json'].example;
  const kept = Object.entries(example).filter(([name]) => idKindOf(schema.properties![name]!) === null);
  const needed = (schema.required ?? []).flatMap((name) => {
    const kind = idKindOf(schema.properties![name]!);
    return kind === null ? [] : [[name, ownNeeds[name] ?? ownIds.get(kind)]];
  });
  return {
    ...Object.fromEntries([...kept, ...needed]),
    ...('work_email' in example ? { work_email: newEmail() } : {}),
  };
}

/** Every read of a list that names no other resource in its path, with the query that it needs. */
function listsOf(kind: 'page' | 'list'): readonly (readonly [path: string, query: Readonly<Record<string, string>>])[] {
  const isOfKind = ({ operation }: WalkedOperation): boolean => {
    const response = operation.responses['200'];
    const schema =
      response !== undefined && 'content' in response ? (response.content!['application/json'].schema as Schema) : null;
    return (
      schema?.properties?.['data']?.items !== undefined &&
      (schema.properties['pagination'] !== undefined) === (kind === 'page')
    );
  };
  const wide: Readonly<Record<string, string>> = {
    from: addDays(new Date().toISOString().slice(0, 10), -300),
    to: addDays(new Date().toISOString().slice(0, 10), 1),
  };
  return operationsOf(api.check.document)
    .filter((one) => one.method === 'GET' && pathParametersOf(one).length === 0 && isOfKind(one))
    .map(({ template, operation }) => [
      template,
      operation.operationId === 'listWhoIsOut'
        ? { from: '2020-01-01', to: '2060-12-31', include_pending: 'true' }
        : Object.fromEntries(
            operation.parameters.filter(({ required }) => required).map(({ name }) => [name, wide[name]!]),
          ),
    ]);
}

/** The kinds of the ids that those lists show, as the document describes their answers. */
function kindsInLists(): ReadonlySet<string> {
  const kindsIn = (of: Schema): readonly string[] => {
    const schema = resolved(api.check.document, of);
    const kind = idKindOf(schema);
    const inner = [
      ...Object.values(schema.properties ?? {}),
      ...(schema.items === undefined ? [] : [schema.items]),
      ...(schema.anyOf ?? []),
    ];
    return [...(kind === null ? [] : [kind]), ...inner.flatMap(kindsIn)];
  };
  const lists = [...listsOf('page'), ...listsOf('list')].map(
    ([path]) => api.check.document.paths[path]!['get']!.responses['200'],
  );
  return new Set(
    lists.flatMap((response) =>
      response !== undefined && 'content' in response ? kindsIn(response.content!['application/json'].schema) : [],
    ),
  );
}

describe('ids of another organisation, and texts that are no ids', () => {
  it('in the path answer 404 like ids that nobody has, byte for byte, on every route', async () => {
    // The id of a request is no id of a resource: test/e2e/request-log.e2e.spec.ts.
    const walked = operationsOf(api.check.document).filter((one) =>
      pathParametersOf(one).some(({ schema }) => idKindOf(schema) !== null),
    );
    expect(walked.length).toBeGreaterThan(8);
    for (const one of walked) {
      const send = (idOf: (kind: string) => string): Promise<ApiAnswer> => {
        const ids = Object.fromEntries(
          pathParametersOf(one).map(({ name, schema }) => [name, idOf(idKindOf(schema)!)]),
        );
        return own.client.send(one.method, fill(one.template, ids), {
          body: plainBody(one),
          ifMatch: one.method === 'GET' ? undefined : '"p0.e0.aaaaaaaa"',
        });
      };
      const [theirs, nobodys] = [await send(foreignId), await send(randomId)];
      expect([one.method, one.template, theirs.status]).toEqual([one.method, one.template, 404]);
      expectError(theirs, 404, 'not_found');
      expect(told(theirs)).toEqual(told(nobodys));
      for (const malformed of ['x', '%20', 'x%00', '%F0%9F%99%82', randomId('cty_'), 'x'.repeat(90)]) {
        expect([one.template, malformed, told(await send(() => malformed))]).toEqual([
          one.template,
          malformed,
          told(nobodys),
        ]);
      }
    }
  });

  it('in a body answer 404 like ids that nobody has, byte for byte, in every field of every route', async () => {
    let fields = 0;
    for (const one of operationsOf(api.check.document)) {
      const schema = bodySchemaOf(api.check.document, one.operation);
      for (const [field, property] of Object.entries(schema?.properties ?? {})) {
        const kind = idKindOf(property);
        if (kind === null) continue;
        fields += 1;
        const person = await people.create({ start_date: '2020-01-01' });
        const ours = new Map([...ownIds, ['person', person.id]]);
        const path = fill(
          one.template,
          Object.fromEntries(pathParametersOf(one).map(({ name, schema: of }) => [name, ours.get(idKindOf(of)!)!])),
        );
        const isGuarded = one.operation.parameters.some(({ name, required }) => name === 'If-Match' && required);
        const tag = isGuarded ? await tagForWriteAt(own.client, path) : undefined;
        const others = Object.entries(schema!.properties!).filter(
          ([name, other]) => name !== field && idKindOf(other) !== null,
        );
        /**
         * Alone, among other ids that belong to nobody, without a tag that is asked for, and with one that is
         * not the last one.
         */
        const send = async (id: string): Promise<readonly unknown[]> => {
          const body = {
            ...plainBody(one),
            ...('work_email' in (plainBody(one) ?? {}) ? { work_email: 'same@example.com' } : {}),
            [field]: id,
          };
          const amongOthers = {
            ...Object.fromEntries(others.map(([name, other]) => [name, randomId(idKindOf(other)!)])),
            ...body,
            [field]: id,
          };
          const answers = [
            await own.client.send(one.method, path, { body, ifMatch: tag }),
            await own.client.send(one.method, path, { body: amongOthers, ifMatch: tag }),
          ];
          expectError(answers[0]!, 404, 'not_found', field);
          if (isGuarded)
            for (const ifMatch of [undefined, '"p0.e0.aaaaaaaa"'])
              answers.push(await own.client.send(one.method, path, { body, ifMatch }));
          return answers.map(told);
        };
        const nobodys = await send(randomId(kind));
        expect([one.template, field, await send(foreignId(kind))]).toEqual([one.template, field, nobodys]);
        for (const malformed of malformedIds(kind))
          expect([one.template, field, malformed, await send(malformed)]).toEqual([
            one.template,
            field,
            malformed,
            nobodys,
          ]);
      }
    }
    expect(fields).toBeGreaterThan(15);
  });

  it('in a value of a custom field answer 400 like ids that nobody has, byte for byte', async () => {
    const person = await people.create();
    const send = async (field_id: string): Promise<unknown> => {
      const ifMatch = tagOf(await own.client.get(`/people/${person.id}/custom-fields`));
      const answer = await own.client.patch(
        `/people/${person.id}/custom-fields`,
        { values: [{ field_id, value: 'x' }] },
        { ifMatch },
      );
      expectError(answer, 400, 'invalid_request', 'values[0].field_id');
      return told(answer);
    };
    const nobodys = await send(randomId('cfd_'));
    for (const id of [foreignId('cfd_'), ...malformedIds('cfd_')]) expect([id, await send(id)]).toEqual([id, nobodys]);
  });

  it('in a query answer like ids that nobody has, byte for byte, in every parameter of every route', async () => {
    let parameters = 0;
    for (const one of operationsOf(api.check.document)) {
      for (const { name, schema, in: place } of one.operation.parameters) {
        if (place !== 'query' || idKindOf(schema) === null) continue;
        parameters += 1;
        const send = (id: string): Promise<ApiAnswer> => own.client.get(one.template, { [name]: id });
        const [theirs, nobodys] = [await send(foreignId(idKindOf(schema)!)), await send(randomId(idKindOf(schema)!))];
        expect(told(theirs)).toEqual(told(nobodys));
        expect(theirs.json.data ?? []).toEqual([]);
        // An empty parameter counts as not given.
        for (const malformed of malformedIds(idKindOf(schema)!).filter(
          (id) => id !== '' && !/\p{Surrogate}/u.test(id),
        )) {
          expect([one.template, name, malformed, told(await send(malformed))]).toEqual([
            one.template,
            name,
            malformed,
            told(nobodys),
          ]);
        }
      }
    }
    expect(parameters).toBeGreaterThan(2);
  });
});

describe('what else belongs to another organisation', () => {
  it('is in no list of ours, though it is in theirs', async () => {
    const shown = new Set<string>();
    for (const [path, query] of [...listsOf('page'), ...listsOf('list')]) {
      const [ours, theirs] = [await own.client.get(path, query), await foreign.client.get(path, query)];
      expect([ours.status, theirs.status]).toEqual([200, 200]);
      for (const [kind, id] of foreignIds) {
        expect([path, ours.text.includes(id)]).toEqual([path, false]);
        if (theirs.text.includes(id)) shown.add(kind);
      }
    }
    // Adjustments are in no list of their own, and shown by what happened. Deliveries are in that of their
    // webhook.
    const inNone = [...foreignIds.keys()].filter((kind) => !kindsInLists().has(kind));
    expect(inNone).toEqual(expect.arrayContaining(['toa_', 'whd_']));
    expect([...foreignIds.keys()].filter((kind) => !shown.has(kind))).toEqual(inNone.filter((kind) => kind !== 'toa_'));
  });

  it('is no cursor of ours: it is refused like one that was made up, on every list', async () => {
    const pages = listsOf('page');
    expect(pages.length).toBeGreaterThan(5);
    for (const [path, query] of pages) {
      const cursor = (await foreign.client.get(path, { ...query, limit: 1 })).json.pagination.next_cursor!;
      const [used, madeUp] = [
        await own.client.get(path, { ...query, limit: 1, cursor }),
        await own.client.get(path, { ...query, limit: 1, cursor: 'A'.repeat(cursor.length) }),
      ];
      expectError(used, 400, 'invalid_request', 'cursor');
      expect(told(used)).toEqual(told(madeUp));
    }
  });

  it('is no Idempotency-Key of ours: the same key and body make a person in each organisation', async () => {
    const [idempotencyKey, body] = [randomUUID(), { work_email: newEmail() }];
    const [one, other] = [
      await own.client.post<Person>('/people', body, { idempotencyKey }),
      await foreign.client.post<Person>('/people', body, { idempotencyKey }),
    ];
    expect([one.status, other.status, other.headers['idempotent-replayed']]).toEqual([201, 201, undefined]);
    expect(one.json.data.id).not.toBe(other.json.data.id);
    expectError(await own.client.get(`/people/${other.json.data.id}`), 404, 'not_found');
  });

  it('does not change through an entity tag of theirs', async () => {
    const theirs = await foreign.client.get(`/people/${foreignId('person')}`);
    expectError(
      await own.client.patch(`/people/${foreignId('person')}`, { first_name: 'X' }, { ifMatch: tagOf(theirs) }),
      404,
      'not_found',
    );
    expect((await foreign.client.get(`/people/${foreignId('person')}`)).text).toBe(theirs.text);
  });
});

describe('keys of the other environment', () => {
  it('are refused like keys that nobody has, on every route, and the sandbox shows nothing that is live', async () => {
    const sandbox = await api.startAnother('sandbox');
    const { apiKey: testKey } = await api.key(own.row, { environment: 'sandbox' });
    const nobodys = (environment: 'live' | 'sandbox'): string => generateApiKey(environment).apiKey;
    const alike = [
      [api.client(null), api.client(nobodys('live')), api.client('svc_live_0000000000000000000000000000000AAAAA')],
      [api.client(testKey), api.client(nobodys('sandbox'))],
      [api.client(own.apiKey, sandbox), api.client(nobodys('live'), sandbox)],
    ];
    for (const one of operationsOf(api.check.document)) {
      const path = fill(
        one.template,
        Object.fromEntries(
          pathParametersOf(one).map(({ name, schema }) => [
            name,
            idKindOf(schema) === null ? 'x' : foreignId(idKindOf(schema)!),
          ]),
        ),
      );
      for (const clients of alike) {
        const answers = [];
        for (const client of clients) {
          const answer = await client.send(one.method, path, { body: plainBody(one) });
          expectError(answer, 401, 'authentication_required');
          answers.push(told(answer));
        }
        for (const answer of answers) expect(answer).toEqual(answers[0]);
      }
    }
    const person = await people.create();
    const inSandbox = api.client(testKey, sandbox);
    expectError(await inSandbox.get(`/people/${person.id}`), 404, 'not_found');
    expect(dataOf(200, await inSandbox.get<readonly Person[]>('/people'))).toEqual([]);
    expect((await inSandbox.post('/people', { work_email: person.work_email })).status).toBe(201);
    expect(
      (await people.all<Person>('/people')).filter(({ work_email }) => work_email === person.work_email),
    ).toHaveLength(1);
  });
});
