/**
 * A step of `npm run build`: writes a collection for Postman (format 2.1) and one for Bruno into
 * dist/collections, from dist/openapi.json. Both have a request for each operation, with the examples of the
 * document, in a folder for each tag.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(import.meta.dirname, '..', 'dist');
const target = join(dist, 'collections');
const document = JSON.parse(readFileSync(join(dist, 'openapi.json'), 'utf8'));
const NAME = 'Workforce HR';
const BASE_URL = 'http://127.0.0.1:3000';
/** Both programs replace `{{$guid}}` with a new UUID for each request. */
const HEADERS = { 'Idempotency-Key': '{{$guid}}', 'If-Match': '{{entityTag}}' };

const requests = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => {
    const parameters = (where) => (operation.parameters ?? []).filter((parameter) => parameter.in === where);
    return {
      folder: operation.tags[0],
      name: operation.summary,
      verb,
      path: path.replace(/\{(\w+)\}/g, ':$1'),
      ids: parameters('path').map(({ name }) => name),
      query: parameters('query'),
      headers: parameters('header').filter(({ required }) => required),
      body: operation.requestBody?.content['application/json'].example,
    };
  }),
);
const folders = [...new Set(requests.map(({ folder }) => folder))].map((folder) => [
  folder,
  requests.filter((request) => request.folder === folder),
]);

function postman() {
  return {
    info: { name: NAME, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: BASE_URL },
      { key: 'apiKey', value: '' },
      { key: 'entityTag', value: '' },
    ],
    item: folders.map(([name, own]) => ({ name, item: own.map(postmanRequest) })),
  };
}

function postmanRequest({ name, verb, path, ids, query, headers, body }) {
  return {
    name,
    request: {
      method: verb.toUpperCase(),
      header: headers.map((header) => ({ key: header.name, value: HEADERS[header.name] ?? '' })),
      url: {
        raw: `{{baseUrl}}/api/v1${path}`,
        host: ['{{baseUrl}}'],
        path: ['api', 'v1', ...path.split('/').slice(1)],
        variable: ids.map((key) => ({ key, value: '' })),
        query: query.map((one) => ({ key: one.name, value: String(one.example ?? ''), disabled: !one.required })),
      },
      ...(body === undefined
        ? {}
        : {
            body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
          }),
    },
  };
}

/** A block of Bruno's language; empty where it has no lines. */
function block(name, lines) {
  return lines.length === 0 ? '' : `${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n\n`;
}

function brunoRequest({ name, verb, path, ids, query, headers, body }, index) {
  const kind = body === undefined ? 'none' : 'json';
  return [
    block('meta', [`name: ${name}`, 'type: http', `seq: ${index + 1}`]),
    block(verb, [`url: {{baseUrl}}/api/v1${path}`, `body: ${kind}`, 'auth: inherit']),
    block(
      'params:query',
      query.map((one) => `${one.required ? '' : '~'}${one.name}: ${one.example ?? ''}`),
    ),
    block(
      'params:path',
      ids.map((id) => `${id}: `),
    ),
    block(
      'headers',
      headers.map((header) => `${header.name}: ${HEADERS[header.name] ?? ''}`),
    ),
    block('body:json', body === undefined ? [] : JSON.stringify(body, null, 2).split('\n')),
  ].join('');
}

function write(name, text) {
  const file = join(target, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${text.trimEnd()}\n`);
}

rmSync(target, { recursive: true, force: true });
write('workforce-hr.postman_collection.json', JSON.stringify(postman(), null, 1));
write('bruno/bruno.json', JSON.stringify({ version: '1', name: NAME, type: 'collection' }, null, 2));
write('bruno/collection.bru', block('auth', ['mode: bearer']) + block('auth:bearer', ['token: {{apiKey}}']));
write(
  'bruno/environments/local.bru',
  `${block('vars', [`baseUrl: ${BASE_URL}`, 'entityTag: '])}vars:secret [\n  apiKey\n]`,
);
for (const [folder, own] of folders)
  for (const [index, request] of own.entries())
    write(`bruno/${folder}/${request.name}.bru`, brunoRequest(request, index));
