import { compileBodyCheck } from '../fields/check-body.js';
import { compileTextCheck, type TextValues } from '../fields/check-text.js';
import type { Checked } from '../fields/checked.js';
import { compileSerialiser, listSerialiser, type Serialiser } from '../fields/serialise.js';
import type { ShapeClass } from '../fields/shape.js';
import type { Operation } from '../operation.js';

/** An operation with its checks and its serialiser made once, when its route is registered. */
export interface CompiledOperation {
  readonly operation: Operation;
  readonly method: string;
  /** The route's pattern, such as `/api/v1/people/:person_id`. */
  readonly route: string;
  readonly checkQuery: (values: TextValues) => Checked;
  readonly checkParameters: (values: TextValues) => Checked;
  readonly checkBody: (body: unknown) => Checked;
  /** Writes the whole body of a success; null for 204. */
  readonly serialise: ((data: unknown, nextCursor: string | null) => string) | null;
}

/** Compiles everything of a route that does not change from request to request. */
export function compileOperation(operation: Operation, method: string, route: string): CompiledOperation {
  return {
    operation,
    method,
    route,
    checkQuery: compileTextCheck(operation.query),
    checkParameters: compileTextCheck(operation.parameters),
    checkBody: operation.body === undefined ? checkNoBody : compileBodyCheck(operation.body),
    serialise: envelopeOf(operation),
  };
}

class NoFields {}
const checkEmptyObject = compileBodyCheck(NoFields);

/** Where an operation has no body, none at all and an empty object are the same. */
function checkNoBody(body: unknown): Checked {
  return body === undefined ? { value: undefined, issues: [] } : { ...checkEmptyObject(body), value: undefined };
}

function envelopeOf(operation: Operation): CompiledOperation['serialise'] {
  if (operation.response === null) return null;
  const single = compileSerialiser(operation.response as ShapeClass);
  const list: Serialiser = listSerialiser(single);
  switch (operation.responseKind) {
    case 'single':
      return (data) => `{"data":${single(data)}}`;
    case 'list':
      return (data) => `{"data":${list(data)}}`;
    case 'page':
      return (data, nextCursor) =>
        `{"data":${list(data)},"pagination":{${nextCursor === null ? '' : `"next_cursor":${JSON.stringify(nextCursor)}`}}}`;
    case 'none':
      return null;
  }
}
