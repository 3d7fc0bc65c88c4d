import type { TextValues } from '#http/fields/check.js';
import { HttpError } from '#http/errors.js';
import type { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import type { Route } from '#http/operations/route-table.js';
import { asLine } from '#kernel/plain-text.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { Issue } from '#kernel/rejection.js';
import type { Caller } from './caller.js';
import { type Argument, argumentsOf } from './schemas.js';

/** The number of characters of an unknown argument's name that an error repeats. */
const MAX_NAME_LENGTH = 100;

/** Runs operations that read, with the arguments of tools. */
export class Reading {
  constructor(private readonly invoker: OperationInvoker) {}

  /** Returns the body of the route's response. Throws errors that the pipeline maps to responses. */
  async read(
    route: Route,
    caller: Caller,
    values: Readonly<Record<string, unknown>>,
    given?: readonly Argument[],
  ): Promise<string> {
    const { parameters, query } = placed(given ?? argumentsOf(route.operation), values);
    caller.onInvoke(route.operation.operationId);
    return (await this.invoker.read(route, { ...caller, parameters, query })).body;
  }
}

/** Returns an issue for each argument that is not among the known names. */
export function unknownArguments(
  values: Readonly<Record<string, unknown>>,
  known: readonly string[],
): readonly Issue[] {
  return Object.keys(values)
    .filter((name) => !known.includes(name))
    .map((name) => ({ field: asLine(name, MAX_NAME_LENGTH), issue: 'is not an argument' }));
}

/**
 * Whether an argument has a value. Models fill unused arguments with null or an empty text; null is a value
 * only if a body clears a field with it.
 */
export function isGiven(value: unknown, isNullable = false): boolean {
  return value !== undefined && value !== '' && (value !== null || isNullable);
}

/** The arguments of a call in the parts of a request. */
export interface Placed {
  readonly parameters: TextValues;
  readonly query: TextValues;
  readonly body: JsonObject;
}

/**
 * Returns the arguments as the path, the query and the body of a request. Throws one 400 with every issue.
 */
export function placed(given: readonly Argument[], values: Readonly<Record<string, unknown>>): Placed {
  const parameters: Record<string, string> = {};
  const query: Record<string, string> = {};
  const body: Record<string, Json> = {};
  const details = [
    ...unknownArguments(
      values,
      given.map(({ name }) => name),
    ),
  ];
  for (const { name, field, where, isRequired } of given) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (!isGiven(value, where === 'body' && field.nullable)) {
      if (isRequired) details.push({ field: name, issue: 'is required' });
    } else if (where === 'body') {
      body[field.name] = value as Json;
    } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      (where === 'path' ? parameters : query)[field.name] = String(value);
    } else {
      details.push({ field: name, issue: 'must be a text, a number or a boolean' });
    }
  }
  if (details.length > 0) throw new HttpError('invalid_request', { details });
  return { parameters, query, body };
}
