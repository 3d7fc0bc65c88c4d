/**
 * The methods by resource of the client, from the OpenAPI document: `workforce.people.list()` for
 * `GET /people` with the operation `listPeople`.
 */

const IRREGULAR = { people: 'Person' };

const camel = (text) => text.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
const pascal = (text) => camel(text).replace(/^./, (letter) => letter.toUpperCase());
const singular = (text) => IRREGULAR[text] ?? pascal(text).replace(/ies$/, 'y').replace(/s$/, '');

/**
 * The operation's id without the words that name the resource: `getEmployment` stays, `endPerson` becomes
 * `end`.
 */
function methodName(operationId, segment) {
  for (const word of [pascal(segment), singular(segment)]) {
    const name = operationId.replace(new RegExp(`${word}(?=[A-Z]|$)`), '');
    if (name !== operationId) return name;
  }
  return operationId;
}

/** The data of one operation for the text. */
function methodOf(path, verb, operation) {
  const segment = path.split('/')[1];
  const parameters = (where) => (operation.parameters ?? []).filter((parameter) => parameter.in === where);
  const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith('2'));
  const schema = success.content?.['application/json']?.schema;
  const kind = schema === undefined ? 'none' : schema.properties.data.type === 'array' ? 'list' : 'single';
  const query = parameters('query').filter(({ name }) => kind !== 'list' || name !== 'cursor');
  return {
    resource: camel(segment),
    name: methodName(operation.operationId, segment),
    id: operation.operationId,
    summary: operation.summary,
    verb,
    path,
    status,
    kind,
    ids: parameters('path').map(({ name }) => name),
    query: query.length === 0 ? null : { isRequired: query.some(({ required }) => required) },
    hasBody: operation.requestBody !== undefined,
    needsTag: parameters('header').some(({ name, required }) => name === 'If-Match' && required),
    isWrite: verb !== 'get',
  };
}

function signatureOf({ name, id, summary, status, kind, ids, query, hasBody, needsTag, isWrite }) {
  const data = `Data<'${id}', ${status}>`;
  const of = {
    list: `AsyncGenerator<${data}[number], void, undefined>`,
    single: `Promise<Answer<{ data: ${data} }>>`,
    none: 'Promise<void>',
  };
  const options = needsTag
    ? 'options: TaggedWriteOptions'
    : isWrite
      ? 'options?: WriteOptions'
      : 'options?: CallOptions';
  const given = [
    ...ids.map((parameter) => `${parameter}: string`),
    ...(query === null ? [] : [`query${query.isRequired ? '' : '?'}: Query<'${id}'>`]),
    ...(hasBody ? [`body: Body<'${id}'>`] : []),
    options,
  ];
  return `    /** ${summary}. */\n    ${name}(${given.join(', ')}): ${of[kind]};\n`;
}

function modelsOf({ components, webhooks }) {
  const names = Object.keys(components.schemas).filter((name) => /(Response|Request)$/.test(name));
  const models = names.map(
    (name) => `export type ${name.replace(/Response$/, '')} = components['schemas']['${name}'];\n`,
  );
  const events = Object.keys(webhooks).map((type) => `  | '${type}'`);
  return `${models.join('')}\n/** The types of events that webhooks send. */\nexport type WebhookEventType =\n${events.join('\n')};\n`;
}

/** Returns the module `generated/resources.ts`. Throws if two methods of a resource have one name. */
export function resourcesText(document, version) {
  const methods = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => methodOf(path, verb, operation)),
  );
  const groups = byResource(methods);
  const interfaces = [];
  const table = [];
  for (const [resource, own] of groups) {
    if (new Set(own.map(({ name }) => name)).size < own.length)
      throw new Error(`two methods of ${resource} have one name`);
    interfaces.push(`  readonly ${resource}: {\n${own.map(signatureOf).join('')}  };\n`);
    const rows = own.map(({ name, verb, path, kind, query, hasBody }) => {
      return `    ${name}: { verb: '${verb}', path: '${path}', kind: '${kind}', hasQuery: ${query !== null}, hasBody: ${hasBody} },\n`;
    });
    table.push(`  ${resource}: {\n${rows.join('')}  },\n`);
  }
  return `import type { Answer, Body, CallOptions, Data, Query, Shape, TaggedWriteOptions, WriteOptions } from '../calls.js';
import type { components } from './schema.js';

/** The version of the package. */
export const VERSION = '${version}';

/** The version of the contract from which the package was generated. */
export const CONTRACT_VERSION = '${document.info.version}';

/** The methods of the client, by resource. */
export interface Resources {
${interfaces.join('')}}

export const SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
${table.join('')}};

${modelsOf(document)}`;
}

function byResource(methods) {
  const groups = new Map();
  for (const method of methods) groups.set(method.resource, [...(groups.get(method.resource) ?? []), method]);
  return groups;
}
