/**
 * The methods by resource that the generated clients have, from the OpenAPI document: `people.list` for
 * `GET /people` with the operation `listPeople`.
 */

const IRREGULAR = { people: 'Person' };

const camel = (text) => text.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
export const pascal = (text) => camel(text).replace(/^./, (letter) => letter.toUpperCase());
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
  return {
    operation,
    resource: camel(segment),
    name: methodName(operation.operationId, segment),
    id: operation.operationId,
    summary: operation.summary,
    verb,
    path,
    status,
    kind,
    ids: parameters('path').map(({ name }) => name),
    // The client follows the cursors of a list itself.
    query: parameters('query').filter(({ name }) => kind !== 'list' || name !== 'cursor'),
    hasBody: operation.requestBody !== undefined,
    needsTag: parameters('header').some(({ name, required }) => name === 'If-Match' && required),
    isWrite: verb !== 'get',
  };
}

/** Returns the methods by resource. Throws if two methods of a resource have one name. */
export function methodsByResource({ paths }) {
  const groups = new Map();
  for (const [path, verbs] of Object.entries(paths))
    for (const [verb, operation] of Object.entries(verbs)) {
      const method = methodOf(path, verb, operation);
      groups.set(method.resource, [...(groups.get(method.resource) ?? []), method]);
    }
  for (const [resource, own] of groups)
    if (new Set(own.map(({ name }) => name)).size < own.length)
      throw new Error(`two methods of ${resource} have one name`);
  return groups;
}
