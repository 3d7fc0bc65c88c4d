import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import type { Issue } from '#kernel/rejection.js';
import { SHAPE_CONSTRAINT } from '../fields.js';
import type { Checked } from './checked.js';
import { asIdentifier, hasFormOfIdentifier, problemOf } from './problem.js';
import { type Field, fieldsOf, type Shape, type ShapeClass } from './shape.js';

/** Stands for a value that was refused before the class saw it. */
const REFUSED = Symbol('refused');
const LONGEST_NAME = 100;

/**
 * Compiles the check of a JSON body against a class. First everything is refused that the class does not name, or whose
 * container is of the wrong type: nothing of a stranger's making (`constructor`, `__proto__`, nested objects) reaches
 * class-transformer. Then class-validator applies the fields' constraints. Fields that are not named stay absent. A text that is no id
 * where one is asked for becomes one that nobody has.
 */
export function compileBodyCheck(shapeClass: ShapeClass): (body: unknown) => Checked {
  const shape: Shape = { kind: 'object', shapeClass: () => shapeClass };
  return (body) => {
    const refusals: Issue[] = [];
    if (body === undefined) return { value: null, issues: [{ field: 'body', issue: 'is required' }] };
    const pruned = typeof body !== 'object' || body === null ? REFUSED : prune(shape, body, '', refusals);
    if (pruned === REFUSED) return { value: null, issues: [{ field: 'body', issue: 'must be an object' }] };
    const value = plainToInstance(shapeClass, pruned as object);
    removeAbsent(shapeClass, value, pruned as object);
    const found: Found = { issues: [...refusals], refused: refusals.map(({ field }) => field) };
    if (fieldsOf(shapeClass).length > 0) {
      const options = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true, validationError: { target: false } };
      for (const error of validateSync(value, options)) collect(error, '', found);
    }
    return { value, issues: found.issues };
  };
}

interface Found {
  readonly issues: Issue[];
  /** Paths whose trouble is known already. */
  readonly refused: readonly string[];
}

function prune(shape: Shape, value: unknown, path: string, refusals: Issue[]): unknown {
  if (typeof value === 'string') return readText(shape, value);
  if (typeof value !== 'object' || value === null) return value;
  if (shape.kind === 'list' && Array.isArray(value) && value.length <= shape.maximumItems) {
    return value.map((item, index) => {
      const pruned = prune(shape.item, item, `${path}[${index}]`, refusals);
      return pruned === REFUSED ? null : pruned;
    });
  }
  if (shape.kind === 'object' && !Array.isArray(value)) return pruneObject(fieldsOf(shape.shapeClass()), value, path, refusals);
  const tooLong = shape.kind === 'list' && Array.isArray(value);
  refusals.push({
    field: path,
    issue: tooLong ? `must have at most ${shape.maximumItems} items` : (problemOf(shape, value) ?? 'is not taken'),
  });
  return REFUSED;
}

/** Where every shape that a text may have is an id, it is read as one. */
function readText(shape: Shape, text: string): string {
  if (shape.kind === 'identifier') return asIdentifier(shape.of, text);
  if (shape.kind !== 'one_of') return text;
  const kinds = shape.shapes.flatMap((one) => (one.kind === 'identifier' ? [one.of] : []));
  if (kinds.length < shape.shapes.length) return text;
  return asIdentifier(kinds.find((kind) => hasFormOfIdentifier(kind, text)) ?? kinds[0]!, text);
}

function pruneObject(fields: readonly Field[], value: object, path: string, refusals: Issue[]): object {
  const pruned: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name.slice(0, LONGEST_NAME) : `${path}.${name.slice(0, LONGEST_NAME)}`;
    const field = fields.find((candidate) => candidate.name === name);
    if (field === undefined) {
      refusals.push({ field: at, issue: 'is not a field of this request' });
      continue;
    }
    const kept = prune(field.shape, member, at, refusals);
    if (kept !== REFUSED) pruned[name] = kept;
  }
  return pruned;
}

/** A class declares its fields, so a new instance has them all, undefined; the caller's silence must stay visible. */
function removeAbsent(shapeClass: ShapeClass, instance: object, source: object): void {
  for (const { name, shape } of fieldsOf(shapeClass)) {
    if (!Object.hasOwn(source, name)) {
      Reflect.deleteProperty(instance, name);
      continue;
    }
    const inner = shape.kind === 'list' ? shape.item : shape;
    if (inner.kind !== 'object') continue;
    const values = [Reflect.get(instance, name) as unknown].flat();
    const sources = [Reflect.get(source, name) as unknown].flat();
    values.forEach((value, index) => {
      const from = sources[index];
      if (typeof value === 'object' && value !== null && typeof from === 'object' && from !== null) {
        removeAbsent(inner.shapeClass(), value, from);
      }
    });
  }
}

function collect(error: ValidationError, path: string, found: Found): void {
  const isIndex = /^\d+$/.test(error.property);
  const at = isIndex ? `${path}[${error.property}]` : path === '' ? error.property : `${path}.${error.property}`;
  const isKnown = found.refused.some((field) => field === at || (field.startsWith(at) && /^\[\d+\]$/.test(field.slice(at.length))));
  const shapeIssue = error.constraints?.[SHAPE_CONSTRAINT];
  if (!isKnown && shapeIssue !== undefined) found.issues.push({ field: at, issue: shapeIssue });
  for (const child of error.children ?? []) collect(child, at, found);
}
