import { type ClassTransformOptions, instanceToPlain, plainToInstance } from 'class-transformer';
import type { ValidationError, ValidatorOptions } from 'class-validator';
import { Validator } from 'class-validator/cjs/validation/Validator.js';
import { asLine } from '#kernel/plain-text.js';
import type { Issue } from '#kernel/rejection.js';
import { HttpError } from '../errors.js';
import { FROM_TEXT } from './rules.js';
import { fieldsOf, type Shape, type ShapeClass } from './shape.js';

/** The result of checking a body, a query or path parameters: the value, and all its problems. */
export interface Checked<Value = unknown> {
  /** A plain object of the fields that were given, in the order of the class; null if there are issues. */
  readonly value: Value;
  /** The problems that make the request invalid (400). */
  readonly issues: readonly Issue[];
}

/** Throws one 400 with all issues if there are any. */
export function assertValid(...checked: readonly Checked[]): void {
  const details = checked.flatMap(({ issues }) => issues);
  if (details.length > 0) throw new HttpError('invalid_request', { details });
}

/** The values of a query or a path: texts only, and a list of texts where a name appears more than once. */
export type TextValues = Readonly<Record<string, string | readonly string[] | undefined>>;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Only fields with a decorator are read, so that no other member, such as `__proto__`, reaches an instance.
 */
const TRANSFORMATION: ClassTransformOptions = { excludeExtraneousValues: true, exposeUnsetFields: false };
const TRANSFORMATION_OF_TEXT: ClassTransformOptions = { ...TRANSFORMATION, groups: [FROM_TEXT] };
/**
 * The first broken constraint is reported. Lists report all constraints, because items may break different
 * ones.
 */
const VALIDATION: ValidatorOptions = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  strictGroups: true,
};
const VALIDATION_OF_TEXT: ValidatorOptions = { ...VALIDATION, groups: [FROM_TEXT], always: true };

const validator = new Validator();

class NoFields {}

/**
 * Compiles the check of a query or of path parameters against a class. Unlike in bodies, numbers and times
 * are parsed from texts.
 */
export function compileTextCheck(shapeClass: ShapeClass = NoFields): (values: TextValues) => Checked {
  const names = fieldsOf(shapeClass).map(({ name }) => name);
  const known = new Set(names);
  return (values) => {
    const unknown = Object.keys(values).filter((name) => !known.has(name));
    const issues = unknown.map((name) => ({
      field: asLine(name, MAX_NAME_LENGTH),
      issue: 'is not a parameter of this request',
    }));
    if (names.length === 0) return { value: {}, issues };
    const instance = plainToInstance(shapeClass, values, TRANSFORMATION_OF_TEXT);
    const refused = new Map(
      validator.validateSync(instance, VALIDATION_OF_TEXT).map((error) => [error.property, firstMessageOf(error)]),
    );
    issues.push(
      ...names.filter((name) => refused.has(name)).map((name) => ({ field: name, issue: refused.get(name)! })),
    );
    return { value: issues.length === 0 ? instanceToPlain(instance, TRANSFORMATION_OF_TEXT) : null, issues };
  };
}

/**
 * Compiles the check of a JSON body against a class. Members that the body leaves out stay absent. A text
 * that is not an id where the class expects one becomes an id of no resource.
 */
export function compileBodyCheck(shapeClass: ShapeClass): (body: unknown) => Checked {
  const hasFields = fieldsOf(shapeClass).length > 0;
  return (body) => {
    if (body === undefined) return { value: null, issues: [{ field: 'body', issue: 'is required' }] };
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      return { value: null, issues: [{ field: 'body', issue: 'must be an object' }] };
    }
    const instance = plainToInstance(shapeClass, boundedObject(shapeClass, body as JsonObject), TRANSFORMATION);
    const found = new FoundIssues();
    if (hasFields) found.addAll(validator.validateSync(instance, VALIDATION), (name) => name);
    const issues = [...found.inOrderOf(body as JsonObject, instance, ''), ...found.ofFields];
    return { value: issues.length === 0 ? instanceToPlain(instance, TRANSFORMATION) : null, issues };
  };
}

/**
 * Returns the part of a body that class-transformer reads. A list or an object of the wrong type becomes
 * empty, and a list is cut after the first surplus item, so that refusing a body never takes longer than
 * accepting it. An issue in this part is an issue of the body.
 */
function bounded(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return shape.kind === 'object' ? boundedObject(shape.shapeClass(), value as JsonObject) : {};
  return shape.kind === 'list' ? value.slice(0, shape.maximumItems + 1).map((item) => bounded(shape.item, item)) : [];
}

function boundedObject(shapeClass: ShapeClass, given: JsonObject): JsonObject {
  const fields = fieldsOf(shapeClass).filter(({ name }) => Object.hasOwn(given, name));
  return Object.fromEntries(fields.map(({ name, shape }) => [name, bounded(shape, given[name])]));
}

/** The number of characters of an unknown name that an issue repeats. */
const MAX_NAME_LENGTH = 100;

/**
 * Converts the errors of class-validator for a body into issues. Issues without a place (unknown members,
 * lists and objects of the wrong type) come first, in the order of the body; the others follow in the order
 * of the class.
 */
class FoundIssues {
  readonly ofFields: Issue[] = [];
  /** The messages for lists and objects that are refused as a whole, by path. */
  private readonly misplaced = new Map<string, string>();

  addAll(errors: readonly ValidationError[], pathOf: (name: string) => string): void {
    for (const error of errors) this.add(error, pathOf(error.property));
  }

  /** Yields the issues without a place. An instance has those members of the body that its class declares. */
  *inOrderOf(given: JsonObject, instance: object, path: string): Generator<Issue> {
    for (const [name, member] of Object.entries(given)) {
      if (Object.hasOwn(instance, name)) yield* this.within(member, (instance as JsonObject)[name], at(path, name));
      else yield { field: at(path, asLine(name, MAX_NAME_LENGTH)), issue: 'is not a field of this request' };
    }
  }

  private *within(given: unknown, read: unknown, path: string): Generator<Issue> {
    if (typeof given !== 'object' || given === null) return;
    const issue = this.misplaced.get(path);
    if (issue !== undefined) yield { field: path, issue };
    else if (!Array.isArray(given)) yield* this.inOrderOf(given as JsonObject, read as object, path);
    else
      for (const [index, item] of given.entries())
        yield* this.within(item, (read as readonly unknown[])[index], `${path}[${index}]`);
  }

  private add({ value, constraints = {}, children = [] }: ValidationError, path: string): void {
    const issue = Object.values(constraints).find((message) => !ITEMS.test(message));
    if (Array.isArray(value) && (issue === undefined || issue === constraints.arrayMinSize)) {
      const refused = refusedItems(Object.values(constraints));
      this.addItems(value, refused, issue, path);
      const others = children.filter(({ property }) => !refused.has(Number(property)));
      this.addAll(others, (index) => `${path}[${index}]`);
    } else if (issue === undefined) this.addAll(children, (name) => at(path, name));
    else if (typeof value === 'object' && value !== null) this.misplaced.set(path, issue);
    else this.ofFields.push({ field: path, issue });
  }

  /**
   * If a list contains lists or objects of the wrong type, only these are reported; otherwise the list's own
   * issue, or that of its first invalid item.
   */
  private addItems(
    list: readonly unknown[],
    refused: ReadonlyMap<number, string>,
    issue: string | undefined,
    path: string,
  ): void {
    const misplaced = [...refused].filter(([index]) => typeof list[index] === 'object' && list[index] !== null);
    for (const [index, words] of misplaced) this.misplaced.set(`${path}[${index}]`, words);
    const first = Math.min(...refused.keys());
    const own = issue ?? (refused.size === 0 ? undefined : `item ${first} ${refused.get(first)}`);
    if (misplaced.length === 0 && own !== undefined) this.ofFields.push({ field: path, issue: own });
  }
}

/** A message about the items of a list, one line per item, as `applyRuleToItems` writes it. */
const ITEMS = /^item \d+ /;

/** Returns the message about each invalid item by its index: that of the first rule that the item breaks. */
function refusedItems(messages: readonly string[]): ReadonlyMap<number, string> {
  const refused = new Map<number, string>();
  for (const line of messages.flatMap((message) => message.split('\n'))) {
    const [, index, words] = /^item (\d+) (.*)$/.exec(line) ?? [];
    if (words !== undefined && !refused.has(Number(index))) refused.set(Number(index), words);
  }
  return refused;
}

/** The message of the first rule that is broken, which is that of the decorator that was applied first. */
function firstMessageOf({ constraints = {} }: ValidationError): string {
  return Object.values(constraints)[0]!;
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
