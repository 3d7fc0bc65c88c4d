/**
 * The methods by resource of the client, from the OpenAPI document: `workforce.people.list()` for
 * `GET /people` with the operation `listPeople`.
 */
import { methodsByResource } from './methods.mjs';

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
    ...(query.length === 0 ? [] : [`query${query.some(({ required }) => required) ? '' : '?'}: Query<'${id}'>`]),
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
  return (
    `${models.join('')}\n/** The types of events that webhooks send. */\nexport type WebhookEventType ` +
    `=\n${events.join('\n')};\n`
  );
}

/** Returns the module `generated/resources.ts`. */
export function resourcesText(document, version) {
  const interfaces = [];
  const table = [];
  for (const [resource, own] of methodsByResource(document)) {
    interfaces.push(`  readonly ${resource}: {\n${own.map(signatureOf).join('')}  };\n`);
    const rows = own.map(({ name, verb, path, kind, query, hasBody }) => {
      const has = `hasQuery: ${query.length > 0}, hasBody: ${hasBody}`;
      return `    ${name}: { verb: '${verb}', path: '${path}', kind: '${kind}', ${has} },\n`;
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
