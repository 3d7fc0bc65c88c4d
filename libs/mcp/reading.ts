import type { TextValues } from '#http/fields/check.js';
import { HttpError } from '#http/errors.js';
import type { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import type { Route } from '#http/operations/route-table.js';
import { asLine } from '#kernel/plain-text.js';
import type { Issue } from '#kernel/rejection.js';
import type { Caller } from './caller.js';
import { type Argument, argumentsOf } from './schemas.js';

/** The part of an unknown argument's name that an error repeats, in characters. */
const LONGEST_NAME = 100;

/** Runs operations that read, with the arguments of tools. */
export class Reading {
  constructor(private readonly invoker: OperationInvoker) {}

  /** Returns the body that the route answers with. Throws what the pipeline turns into an error. */
  async read(route: Route, caller: Caller, values: Readonly<Record<string, unknown>>, given?: readonly Argument[]): Promise<string> {
    const { parameters, query } = placed(given ?? argumentsOf(route.operation), values);
    caller.onInvoke(route.operation.operationId);
    return this.invoker.read(route, { ...caller, parameters, query });
  }
}

/** Returns an issue for each argument that is not among the known names. */
export function unknownArguments(values: Readonly<Record<string, unknown>>, known: readonly string[]): readonly Issue[] {
  return Object.keys(values)
    .filter((name) => !known.includes(name))
    .map((name) => ({ field: asLine(name, LONGEST_NAME), issue: 'is not an argument' }));
}

/** Returns the arguments as the path and the query of a request would have them. Throws one 400 with every issue. */
function placed(given: readonly Argument[], values: Readonly<Record<string, unknown>>): { parameters: TextValues; query: TextValues } {
  const parameters: Record<string, string> = {};
  const query: Record<string, string> = {};
  const details = [
    ...unknownArguments(
      values,
      given.map(({ name }) => name),
    ),
  ];
  for (const { name, field, where, isRequired } of given) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) {
      if (isRequired) details.push({ field: name, issue: 'is required' });
    } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      (where === 'path' ? parameters : query)[field.name] = String(value);
    } else {
      details.push({ field: name, issue: 'must be a text, a number or a boolean' });
    }
  }
  if (details.length > 0) throw new HttpError('invalid_request', { details });
  return { parameters, query };
}
