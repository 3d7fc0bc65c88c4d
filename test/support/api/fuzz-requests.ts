import fc from 'fast-check';
import {
  bodySchemaOf,
  idKindOf,
  operationsOf,
  randomId,
  resolved,
  type Schema,
  type WalkedOperation,
} from './document-walk.js';
import type { OpenApiDocument } from './answer-check.js';

/** A request that a careless or hostile caller might send. */
export interface FuzzRequest {
  readonly method: string;
  /** Below /api/v1, with its query; may be meaningless, but only has characters that a client can send. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  readonly body: string | Buffer | undefined;
  /** The key that it carries. */
  readonly key: 'all' | 'reader' | 'none';
}

/** The ids and tags that the generator uses. */
export interface FuzzWorld {
  readonly document: OpenApiDocument;
  /** Ids by their kind: those of the own organisation first, where it has any, then those of another one. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
  /** Entity tags in quotes. */
  readonly tags: readonly string[];
}

const unusualText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'x\udfff',
    '\ufeff',
    '__proto__',
    'null',
    '%00',
    "'; drop table people; --",
    '\u202e',
    '🙂'.repeat(300),
  ),
  fc.integer({ min: 250, max: 3_000 }).map((length) => 'x'.repeat(length)),
);
const date = mostly(
  fc.integer({ min: 0, max: 20_000 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10)),
  fc.constantFrom(
    '1900-01-01',
    '9998-12-31',
    '1899-12-31',
    '9999-12-31',
    '0000-01-01',
    '2026-02-29',
    '2024-02-29',
    '2026-1-1',
    '+12026-01-01',
    '2026-01-01T00:00:00Z',
  ),
);
const dateTime = fc.oneof(
  date.map((day) => `${day}T12:34:56Z`),
  fc.constantFrom(
    '2026-01-01t00:00:00z',
    '2026-01-01T00:00:00.123456789+23:59',
    '9998-12-31T23:59:59-23:59',
    '1900-01-01T00:00:00+23:59',
    '2026-01-01T24:00:00Z',
    '2026-12-31T23:59:60Z',
    'now',
  ),
);
const unusualNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(-1, 0, 1, 10_080, 10_081, 2 ** 53, 1e308, 0.1),
);
const anything = fc.oneof(unusualText, unusualNumber, fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 4 }));

/** Generates requests from the document, most of them of the right form and some with a mistake. */
export function fuzzRequests(world: FuzzWorld): fc.Arbitrary<FuzzRequest> {
  const walked = fc.constantFrom(...operationsOf(world.document));
  return walked.chain((one) =>
    fc
      .record({
        method: mostly(
          fc.constant(one.method),
          fc.constantFrom('PUT', 'DELETE', 'POST', 'PATCH', 'GET', 'OPTIONS', 'TRACE', 'PROPFIND'),
        ),
        path: pathOf(world, one),
        query: queryOf(world, one),
        body: bodyOf(world, one),
        type: mostly(fc.constant('application/json'), fc.constantFrom(...CONTENT_TYPES)),
        extra: mostly(fc.constant<Readonly<Record<string, string>>>({}), fc.constantFrom(...EXTRA_HEADERS)),
        ifMatch: ifMatchOf(world),
        idempotencyKey: idempotencyKeys,
        key: mostly(fc.constant('all' as const), fc.constantFrom('reader' as const, 'none' as const)),
      })
      .map(({ method, path, query, body, type, extra, ifMatch, idempotencyKey, key }) => {
        const headers = {
          ...(body === undefined ? {} : { 'content-type': type }),
          ...(ifMatch === null ? {} : { 'if-match': ifMatch }),
          ...extra,
        };
        return { method, path: path + query, headers, idempotencyKey, body, key };
      }),
  );
}

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json;charset=UTF-16',
  'application/json; charset=latin1',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/merge-patch+json',
  'application/jsonx',
  'APPLICATION/JSON',
  ';',
  'application/',
  'json',
];
const EXTRA_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity' },
  { accept: 'text/html' },
  { accept: '' },
  { expect: '100-continue' },
  { te: 'trailers' },
  { 'x-request-id': 'mine' },
  { 'service-request-id': '\u00e4' },
  { cookie: 'a=b' },
  { origin: 'null' },
  { 'x-http-method-override': 'DELETE' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer svc_live_' },
  { authorization: `Bearer ${'x'.repeat(2_000)}` },
  { 'accept-version': '9' },
  { range: 'bytes=0-1' },
  { 'if-none-match': '*' },
  { host: 'a,b' },
];

const idempotencyKeys: fc.Arbitrary<string | null> = fc.oneof(
  { weight: 12, arbitrary: fc.uuid() },
  { weight: 3, arbitrary: fc.constantFrom('k1', 'k2', 'k3') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      null,
      '',
      '""',
      '"',
      ' ',
      'a b',
      'a,b',
      '\u00ff',
      'x'.repeat(255),
      'x'.repeat(256),
      'x'.repeat(4_000),
    ),
  },
);

function mostly<Value, Other>(usual: fc.Arbitrary<Value>, unusual: fc.Arbitrary<Other>): fc.Arbitrary<Value | Other> {
  return fc.oneof<
    [{ weight: number; arbitrary: fc.Arbitrary<Value> }, { weight: number; arbitrary: fc.Arbitrary<Other> }]
  >({ weight: 24, arbitrary: usual }, { weight: 1, arbitrary: unusual });
}

function ifMatchOf({ tags }: FuzzWorld): fc.Arbitrary<string | null> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...tags) },
    { weight: 1, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.constantFrom(...tags, 'W/"a"', '""'), { minLength: 1, maxLength: 5 })
        .map((list) => list.join(', ')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '*',
        '',
        'a',
        '"a',
        'a"',
        '"a" "b"',
        ',',
        '"a",,',
        'w/"a"',
        `"${'x'.repeat(3_000)}"`,
        '"\u00e4"',
        '"'.repeat(201),
      ),
    },
  );
}

function idOf({ ids }: FuzzWorld, kind: string): fc.Arbitrary<string> {
  const [own = randomId(kind), ...others] = ids.get(kind) ?? [];
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(own, ...others.slice(0, 2)) },
    { weight: 2, arbitrary: fc.constantFrom(...others, randomId(kind)) },
    { weight: 1, arbitrary: unusualText },
  );
}

function pathOf(world: FuzzWorld, one: WalkedOperation): fc.Arbitrary<string> {
  const segments = one.template.split('/').map((segment): fc.Arbitrary<string> => {
    const parameter = one.operation.parameters.find(({ name }) => segment === `{${name}}`);
    return parameter === undefined
      ? fc.constant(segment)
      : idOf(world, idKindOf(parameter.schema) ?? 'person').map(escaped);
  });
  const usual = fc.tuple(...segments).map((parts) => parts.join('/'));
  const broken = fc
    .tuple(
      usual,
      fc.constantFrom('/', '//', '%', '%zz', '%ff', '%00', '/..', ';a', '/%2e%2e/', '%2f', '/x'.repeat(500), '*'),
    )
    .map(([path, tail]) => path + tail);
  return mostly(usual, broken);
}

/** Returns `encodeURIComponent` of a text, with the replacement character for text that has no UTF-8 form. */
function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function queryOf(world: FuzzWorld, one: WalkedOperation): fc.Arbitrary<string> {
  const known = one.operation.parameters.filter((parameter) => parameter.in === 'query');
  const named = known.map(({ name, schema }) =>
    fc.tuple(
      fc.constant(name),
      valueOf(world, schema, '').map((value) => escaped(String(value))),
    ),
  );
  const strange = fc.tuple(
    fc.constantFrom('limit', 'cursor', 'x', '__proto__', 'constructor', ''),
    fc.constantFrom('', '1', '%00', '%zz', '%ff', 'a'.repeat(3_000), '\\', '[]'),
  );
  const usual =
    named.length === 0
      ? fc.constant<[string, string][]>([])
      : fc.uniqueArray(fc.oneof(...named), { maxLength: 3, selector: ([name]) => name });
  const pairs = mostly(usual, fc.array(fc.oneof(strange, ...named), { minLength: 1, maxLength: 3 }));
  return pairs.map((list) =>
    list.length === 0 ? '' : `?${list.map(([name, value]) => `${name}=${value}`).join('&')}`,
  );
}

/** Generates a value for a field, valid more often than not. */
function valueOf(world: FuzzWorld, of: Schema, name: string): fc.Arbitrary<unknown> {
  const schema = resolved(world.document, of);
  const kind = idKindOf(schema);
  if (kind !== null) return idOf(world, kind);
  if (name === 'work_email')
    return mostly(
      fc.uuid().map((id) => `${id}@example.com`),
      unusualText,
    );
  if (name === 'url') return mostly(fc.webUrl({ validSchemes: ['https'], withFragments: false }), unusualText);
  if (schema.enum !== undefined) return mostly(fc.constantFrom(...schema.enum), anything);
  if (schema.format === 'date') return mostly(date, anything);
  if (schema.format === 'date-time') return mostly(dateTime, anything);
  if (schema.properties !== undefined) return objectOf(world, schema);
  if (schema.items !== undefined) return mostly(fc.array(valueOf(world, schema.items, ''), { maxLength: 4 }), anything);
  const types = [schema.type].flat();
  if (types.includes('integer'))
    return mostly(fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 }), anything);
  return mostly(fc.string({ unit: 'grapheme', maxLength: 30 }), anything);
}

function objectOf(world: FuzzWorld, schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      name === 'work_email'
        ? valueOf(world, property, name)
        : mostly(valueOf(world, property, name), fc.constant(null)),
    ]),
  );
  const strange = fc.dictionary(
    fc.oneof(unusualText, fc.constantFrom('salary', 'id', 'constructor', 'toString')),
    anything,
    {
      maxKeys: 2,
    },
  );
  const usual = fc.record(fields, { requiredKeys: [...(schema.required ?? [])] }) as fc.Arbitrary<
    Record<string, unknown>
  >;
  return mostly(
    usual,
    fc.tuple(usual, strange).map(([one, other]) => ({ ...one, ...other })),
  );
}

function bodyOf(world: FuzzWorld, one: WalkedOperation): fc.Arbitrary<string | Buffer | undefined> {
  const schema = bodySchemaOf(world.document, one.operation);
  if (schema === null) return mostly(fc.constant(undefined), fc.constantFrom('{}', '[]', 'x'));
  const good = objectOf(world, schema).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 10, arbitrary: good },
    { weight: 1, arbitrary: fc.tuple(good, fc.nat(100)).map(([text, at]) => mangled(text, at)) },
  );
}

/** Returns the text of a body with one of the usual kinds of damage. */
function mangled(text: string, at: number): string | Buffer | undefined {
  const ways: readonly (() => string | Buffer | undefined)[] = [
    () => undefined,
    () => '',
    () => text.slice(0, Math.floor((text.length * at) / 100)),
    () => `${text.slice(0, -1)},"job_title":1,"job_title":"last","work_email":"x"}`,
    () => `\ufeff${text}`,
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.concat([Buffer.from(text), Buffer.of(0xff, 0xfe)]),
    () => text.replace(/"([^"]*)"$/, '1e999'),
    () => `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    () => `{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
    () => `{"first_name":"${'x'.repeat(270_000)}"}`,
    () => '{"contracted_weekly_minutes":1e999,"start_date":-0}',
    () => '{"work_email":"\\ud800@example.com","first_name":"\\u0000"}',
    () => 'null',
    () => '"text"',
    () => '[1,2]',
    () => `${text}${text}`,
    () => 'NaN',
  ];
  return ways[at % ways.length]!();
}
