/**
 * The Python client's modules that follow from the OpenAPI document: its schemas as TypedDicts, its
 * operations as methods by resource.
 */
import { methodsByResource, pascal } from './methods.mjs';

const RESERVED = new Set(['and', 'as', 'class', 'def', 'from', 'global', 'import', 'in', 'is', 'not', 'or', 'with']);
/** Keys of a TypedDict that no class can declare, such as `from` and names of headers. */
const isOdd = (field) => RESERVED.has(field) || !/^\w+$/.test(field);
const SCALARS = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

const snake = (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/-/g, '_');
const parameterName = (text) => (RESERVED.has(text) ? `${text}_` : snake(text));
const modelName = (schema) => schema.replace(/Response$/, '');
const literal = (value) => (value === null ? 'None' : typeof value === 'string' ? JSON.stringify(value) : `${value}`);

/** The type of a schema. Objects without a name of their own go into `nested` under the name `path`. */
function typeOf(schema, { prefix = '', path, nested }) {
  const of = (inner, further = '') => typeOf(inner, { prefix, path: path + further, nested });
  if (schema.$ref !== undefined) return prefix + modelName(schema.$ref.split('/').at(-1));
  if (schema.allOf?.length === 1) return of(schema.allOf[0]);
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return [...new Set(union.map((inner) => of(inner)))].join(' | ');
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  if (Array.isArray(schema.type)) return schema.type.map((type) => of({ ...schema, type })).join(' | ');
  if (schema.type === 'array') return `Sequence[${of(schema.items ?? {}, 'Item')}]`;
  if (schema.type !== 'object') return SCALARS[schema.type] ?? 'Any';
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
    nested.push([path, schema]);
    return prefix + path;
  }
  const values = schema.additionalProperties;
  return `Mapping[str, ${typeof values === 'object' ? of(values, 'Value') : 'Any'}]`;
}

/**
 * A class of a TypedDict. A base created by a call contains the keys that are not valid names in Python.
 */
function modelOf(name, schema) {
  const nested = [];
  const fields = Object.entries(schema.properties ?? {}).map(([field, shape]) => {
    const type = typeOf(shape, { path: name + pascal(field.replace(/_/g, '-').toLowerCase()), nested });
    const annotation = schema.required?.includes(field) ? type : `NotRequired[${type}]`;
    return isOdd(field)
      ? { field, call: `"${field}": ${JSON.stringify(annotation)}` }
      : { field, line: `    ${field}: ${annotation}\n` };
  });
  const reserved = fields.filter(({ call }) => call !== undefined).map(({ call }) => call);
  const lines = fields.map(({ line }) => line ?? '').join('');
  const base = reserved.length === 0 ? 'TypedDict' : `_${name}`;
  return [
    ...nested.map(([path, inner]) => modelOf(path, inner)),
    ...(reserved.length === 0 ? [] : [`_${name} = TypedDict("_${name}", {${reserved.join(', ')}})\n`]),
    `class ${name}(${base}):\n${lines || '    pass\n'}`,
  ].join('\n\n');
}

/** Returns the module `generated/models.py`. */
export function modelsText({ components, webhooks }) {
  const models = Object.entries(components.schemas).map(([name, schema]) => {
    if (schema.type === 'object' && schema.properties !== undefined) return modelOf(modelName(name), schema);
    return `${modelName(name)}: TypeAlias = ${JSON.stringify(typeOf(schema, { path: modelName(name), nested: [] }))}\n`;
  });
  const events = Object.keys(webhooks).map((type) => `    "${type}",\n`);
  return `"""The models of the API, and the bodies of writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

WebhookEventType: TypeAlias = Literal[
${events.join('')}]
"""The types of events that webhooks send."""


${models.join('\n\n')}`;
}

function methodText({ operation, name, summary, verb, path, status, kind, ids, query, hasBody, needsTag, isWrite }) {
  const typed = (schema) => typeOf(schema, { prefix: 'models.', path: '', nested: [] });
  const data = operation.responses[status].content?.['application/json']?.schema.properties.data;
  const returned = {
    list: () => `Iterator[${typed(data.items)}]`,
    single: () => `Answer[${typed(data)}]`,
    none: () => 'None',
  };
  const keywords = [
    ...query.map(({ name: key, schema, required }) =>
      required ? `${parameterName(key)}: ${typed(schema)}` : `${parameterName(key)}: ${typed(schema)} | None = None`,
    ),
    ...(needsTag ? ['if_match: str'] : isWrite ? ['if_match: str | None = None'] : []),
    ...(isWrite ? ['idempotency_key: str | None = None'] : []),
  ];
  const given = [
    'self',
    ...ids.map((id) => `${parameterName(id)}: str`),
    ...(hasBody ? [`body: ${typed(operation.requestBody.content['application/json'].schema)}`] : []),
    ...(keywords.length === 0 ? [] : ['*', ...keywords]),
  ];
  const filled = ids.map((id) => `, ${id}=${parameterName(id)}`).join('');
  const target = ids.length === 0 ? `"${path}"` : `path_of("${path}"${filled})`;
  const values = `{${query.map(({ name: key }) => `"${key}": ${parameterName(key)}`).join(', ')}}`;
  const options = [
    ...(query.length === 0 ? [] : [`query=${values}`]),
    ...(hasBody ? ['body=body'] : []),
    ...(isWrite ? ['idempotency_key=idempotency_key', 'if_match=if_match'] : []),
  ];
  const call = [`"${verb.toUpperCase()}"`, target, ...options].join(', ');
  const statement = {
    list: `return self._paths.pages(${[target, ...(query.length === 0 ? [] : [values])].join(', ')})`,
    single: `return self._paths.answer(${call})`,
    none: `self._paths.send(${call})`,
  };
  return `    def ${parameterName(name)}(${given.join(', ')}) -> ${returned[kind]()}:
        """${summary}."""
        ${statement[kind]}
`;
}

/** Returns the module `generated/resources.py`. */
export function resourcesText(document, version) {
  const groups = [...methodsByResource(document)];
  const classes = groups.map(([resource, own]) => {
    const methods = own.map(methodText).join('\n');
    return `class ${pascal(resource)}:
    def __init__(self, paths: Paths) -> None:
        self._paths = paths

${methods}`;
  });
  return `"""The methods of the API by resource."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..paths import Answer, Paths, path_of
from . import models

VERSION = "${version}"

CONTRACT_VERSION = "${document.info.version}"
"""The version of the contract from which the package was generated."""


${classes.join('\n\n')}

class Resources:
    """The methods of the client, by resource."""

    def __init__(self, paths: Paths) -> None:
${groups.map(([resource]) => `        self.${snake(resource)}: ${pascal(resource)} = ${pascal(resource)}(paths)\n`).join('')}`;
}
