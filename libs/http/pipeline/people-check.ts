import type { Admission } from '#commands/command-context.js';
import type { JsonObject } from '#kernel/json.js';
import { HttpError } from '../errors.js';
import { fieldsOf, type IdentifierKind, type ShapeClass } from '../fields/shape.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { Operation } from '../operation.js';
import type { NamedIds, Sight, Sights } from '../sight.js';

/** The checked input of an operation, in which ids are looked for. */
export interface CheckedInput {
  readonly parameters: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The declaration of an operation, or of an endpoint, whose ids are looked for. */
export type DeclaredInput = Pick<Operation, 'people' | 'parameters' | 'query' | 'body' | 'errors'>;

/**
 * Returns the sight of the caller of an operation. Throws {@link HttpError} (404) if an id in path, query or
 * body is that of a person out of sight, or of their time off, exactly as for an id that no person has. This
 * is the first check of the roles by relation; {@link Sight.reader} is the second. In the query of a list
 * that never answers 404, such an id matches nothing, like an unknown one.
 */
export async function openSight(
  sights: Sights,
  key: AuthenticatedKey | null,
  operation: DeclaredInput,
  input: CheckedInput,
): Promise<Sight> {
  const sight = sights.of(key, operation.people, (input.query ?? {}) as JsonObject);
  await refuseHidden(sight, operation, namedIds(operation, input));
  return sight;
}

/**
 * The same check for a write, in each attempt of its unit of work and under locks: a change of the relation
 * that was committed meanwhile refuses it, and a later one waits for it. Undefined for a caller who sees
 * everybody, and for an input without ids.
 */
export function admissionOf(sight: Sight, operation: DeclaredInput, input: CheckedInput): Admission | undefined {
  const { hold } = sight;
  const ids = namedIds(operation, input);
  if (hold === null || ids.people.length + ids.timeOff.length === 0) return undefined;
  return async (services, unit) => {
    await hold(ids, services, unit);
    await refuseHidden(sight, operation, ids);
  };
}

function namedIds(operation: DeclaredInput, input: CheckedInput): NamedIds {
  return { people: idsIn(operation, input, 'person'), timeOff: idsIn(operation, input, 'timeOff') };
}

async function refuseHidden(sight: Sight, operation: DeclaredInput, ids: NamedIds): Promise<void> {
  const hidden = (await sight.hidden?.(ids)) ?? new Set<string>();
  if (hidden.size === 0) return;
  const inPath = fieldNames(operation.parameters).some((name) => hidden.has(name));
  throw new HttpError('not_found', inPath ? {} : { details: [...hidden].map((field) => ({ field, issue: UNKNOWN })) });
}

const UNKNOWN = 'does not exist';

const PARTS = ['parameters', 'query', 'body'] as const;

function idsIn(operation: DeclaredInput, input: CheckedInput, kind: IdentifierKind): [string, string][] {
  const parts = operation.errors?.includes('not_found') === true ? PARTS : PARTS.filter((part) => part !== 'query');
  return parts.flatMap((part) =>
    (operation[part] === undefined ? [] : fieldsOf(operation[part])).flatMap(({ name, shape }): [string, string][] => {
      const id = (input[part] as Readonly<Record<string, unknown>> | undefined)?.[name];
      return shape.kind === 'identifier' && shape.of === kind && typeof id === 'string' ? [[name, id]] : [];
    }),
  );
}

function fieldNames(shapeClass: ShapeClass | undefined): readonly string[] {
  return shapeClass === undefined ? [] : fieldsOf(shapeClass).map(({ name }) => name);
}
