import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { OpenApiDocument } from '../support/api/answer-check.js';

const ROOT = resolve(__dirname, '..', '..');
const FOLDER = join(ROOT, 'dist', 'collections');

interface PostmanRequest {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly url: { readonly raw: string };
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly body?: { readonly raw: string };
  };
}

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const document = JSON.parse(readFileSync(join(ROOT, 'dist', 'openapi.json'), 'utf8')) as OpenApiDocument;
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({
    route: `${verb} {{baseUrl}}/api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`,
    body: operation.requestBody?.content['application/json'].example,
    isWrite: verb !== 'get',
  })),
);

beforeAll(() => void execFileSync(process.execPath, [join(ROOT, 'scripts', 'write-collections.mjs')]));

it('the collection for Postman has each operation with its example, and a new key for each write', () => {
  const { item } = JSON.parse(read('workforce-hr.postman_collection.json')) as {
    readonly item: readonly { readonly item: readonly PostmanRequest[] }[];
  };
  const found = item
    .flatMap((folder) => folder.item)
    .map(({ request: { method, url, header, body } }) => ({
      route: `${method.toLowerCase()} ${url.raw}`,
      body: body === undefined ? undefined : (JSON.parse(body.raw) as unknown),
      isWrite: header.some(({ key, value }) => key === 'Idempotency-Key' && value === '{{$guid}}'),
    }));
  const sorted = (list: readonly { readonly route: string }[]) =>
    [...list].sort((a, b) => (a.route < b.route ? -1 : 1));
  expect(sorted(found)).toEqual(sorted(operations));
});

it('the collection for Bruno has each operation with its example, and a new key for each write', () => {
  const texts = readdirSync(join(FOLDER, 'bruno'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/]+\/.+\.bru$/.test(file) && !file.startsWith('environments/'))
    .map((file) => read(join('bruno', file)));
  expect(texts).toHaveLength(operations.length);
  for (const { route, body, isWrite } of operations) {
    const [verb, url] = route.split(' ');
    const text = texts.find((one) => one.includes(`\n${verb} {\n  url: ${url}\n`));
    expect([route, text?.includes('  Idempotency-Key: {{$guid}}\n')]).toEqual([route, isWrite]);
    const json = /^body:json \{\n([\s\S]*?)\n\}$/m.exec(text!)?.[1];
    expect([route, json === undefined ? undefined : (JSON.parse(json) as unknown)]).toEqual([route, body]);
  }
});
