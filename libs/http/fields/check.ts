import type { Issue } from '#kernel/rejection.js';
import { asLine, lineProblem } from '#kernel/plain-text.js';
import { HttpError } from '../errors.js';
import { isLocalDate } from '#kernel/dates.js';
import { asIdentifier, hasFormOfIdentifier, isDateTime, problemOf, problemOfField } from './problem.js';
import { type Field, fieldsOf, ownFieldsFirst, type Shape, type ShapeClass } from './shape.js';

/** The result of checking a body, a query or path parameters: the value, and all its problems. */
export interface Checked<Value = unknown> {
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

const WHOLE_NUMBER = /^-?\d{1,16}$/;
const DECIMAL_NUMBER = /^-?\d{1,16}(?:\.\d{1,16})?$/;
/** The part of an unknown name that an issue repeats, in characters. */
const LONGEST_NAME = 100;

/** Compiles the check of a query or of path parameters against a class. Unlike in bodies, numbers are parsed from text. */
export function compileTextCheck(shapeClass: ShapeClass | undefined): (values: TextValues) => Checked {
  const fields = shapeClass === undefined ? [] : fieldsOf(shapeClass);
  const known = new Set(fields.map(({ name }) => name));
  return (values) => {
    const value: Record<string, unknown> = {};
    const issues: Issue[] = [];
    for (const name in values) {
      if (!known.has(name)) issues.push({ field: asLine(name, LONGEST_NAME), issue: 'is not a parameter of this request' });
    }
    for (const field of fields) {
      const given = values[field.name];
      // A form sends each of its fields, the empty ones too.
      if (given === undefined || given === '') {
        if (!field.optional) issues.push({ field: field.name, issue: 'is required' });
        continue;
      }
      const read = typeof given === 'string' ? readValue(field.shape, given) : { issue: 'must be given once' };
      if ('value' in read) value[field.name] = read.value;
      else issues.push({ field: field.name, issue: read.issue });
    }
    return { value, issues };
  };
}

type Read = { readonly value: unknown } | { readonly issue: string };

function readValue(shape: Shape, text: string): Read {
  if (shape.kind === 'identifier') return { value: asIdentifier(shape.of, text) };
  const characters = lineProblem(text);
  if (characters !== null) return { issue: characters };
  if (shape.kind === 'date_time') return readMoment(shape, text);
  const value = coerce(shape, text);
  const problem = problemOf(shape, value);
  return problem === null ? { value } : { issue: problem };
}

const HOW_A_MOMENT_IS_WRITTEN =
  'must be a date-time with an offset, such as 2026-01-31T09:30:00Z or 2026-01-31T10:30:00%2B01:00 (%2B is a plus sign in a URL), or a date, such as 2026-01-31, for midnight UTC';

/**
 * Reads a date-time as clients write it: with an offset of `+0100` or `+01:00`, or with a blank in place of the plus sign, which is what an
 * unescaped one means in a query; or as a date, which is its midnight in UTC.
 */
function readMoment(shape: Shape, text: string): Read {
  const signed = text.replace(/ (?=\d{2}:?\d{2}$)/, '+').replace(/(?<=[+-]\d{2})(?=\d{2}$)/, ':');
  const moment = isLocalDate(text) ? `${text}T00:00:00Z` : signed;
  const problem = problemOf(shape, moment);
  if (problem !== null) return { issue: isDateTime(moment) ? problem : HOW_A_MOMENT_IS_WRITTEN };
  return { value: new Date(moment).toISOString() };
}

function coerce(shape: Shape, text: string): unknown {
  if (shape.kind === 'integer') return WHOLE_NUMBER.test(text) ? Number(text) : text;
  if (shape.kind === 'number') return DECIMAL_NUMBER.test(text) ? Number(text) : text;
  if (shape.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

/** Replaces a list or an object that was refused, so that no other issue reports it again. */
const REFUSED = Symbol('refused');

/**
 * Compiles the check of a JSON body against a class. First `keep` copies the fields of the class. It refuses unknown members,
 * including `constructor` and `__proto__`, and lists and objects in the wrong place. Then `judge` reports the problems of the
 * copy, field by field. Members that the body leaves out stay absent.  A text that is not an id where the class expects one
 * becomes an id of no resource.
 */
export function compileBodyCheck(shapeClass: ShapeClass): (body: unknown) => Checked {
  return (body) => {
    if (body === undefined) return { value: null, issues: [{ field: 'body', issue: 'is required' }] };
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      return { value: null, issues: [{ field: 'body', issue: 'must be an object' }] };
    }
    const issues: Issue[] = [];
    const value = keepObject(shapeClass, body, '', issues);
    judgeObject(shapeClass, value, '', issues);
    return { value, issues };
  };
}

type JsonMembers = Readonly<Record<string, unknown>>;

interface Members {
  readonly named: ReadonlyMap<string, Field>;
  /** In the order in which issues are listed. */
  readonly judged: readonly Field[];
}

const MEMBERS = new WeakMap<ShapeClass, Members>();

function membersOf(shapeClass: ShapeClass): Members {
  const known = MEMBERS.get(shapeClass);
  if (known !== undefined) return known;
  const named = new Map(fieldsOf(shapeClass).map((field) => [field.name, field]));
  const members = { named, judged: ownFieldsFirst(shapeClass) };
  MEMBERS.set(shapeClass, members);
  return members;
}

function keepObject(shapeClass: ShapeClass, given: object, path: string, issues: Issue[]): JsonMembers {
  const { named } = membersOf(shapeClass);
  const kept = new Map<string, unknown>();
  for (const [name, member] of Object.entries(given)) {
    const field = named.get(name);
    if (field !== undefined) kept.set(name, keep(field.shape, member, at(path, name), issues));
    else issues.push({ field: at(path, asLine(name, LONGEST_NAME)), issue: 'is not a field of this request' });
  }
  const value: Record<string, unknown> = {};
  for (const name of named.keys()) if (kept.has(name)) value[name] = kept.get(name);
  return value;
}

function keep(shape: Shape, value: unknown, path: string, issues: Issue[]): unknown {
  if (typeof value === 'string') return readText(shape, value);
  if (typeof value !== 'object' || value === null) return value;
  if (shape.kind === 'object' && !Array.isArray(value)) return keepObject(shape.shapeClass(), value, path, issues);
  const isList = shape.kind === 'list' && Array.isArray(value);
  if (isList && value.length <= shape.maximumItems) return value.map((item, index) => keep(shape.item, item, `${path}[${index}]`, issues));
  const issue = isList ? `must have at most ${shape.maximumItems} items` : (problemOf(shape, value) ?? 'is not taken');
  issues.push({ field: path, issue });
  return REFUSED;
}

/** A text is read as an id where every text shape of the field is an id. */
function readText(shape: Shape, text: string): string {
  if (shape.kind === 'identifier') return asIdentifier(shape.of, text);
  if (shape.kind !== 'one_of') return text;
  const kinds = shape.shapes.flatMap((one) => (one.kind === 'identifier' ? [one.of] : []));
  if (kinds.length < shape.shapes.length) return text;
  return asIdentifier(kinds.find((kind) => hasFormOfIdentifier(kind, text)) ?? kinds[0]!, text);
}

function judgeObject(shapeClass: ShapeClass, value: JsonMembers, path: string, issues: Issue[]): void {
  for (const field of membersOf(shapeClass).judged) {
    const member = value[field.name];
    if (member === REFUSED) continue;
    const name = at(path, field.name);
    const issue = Array.isArray(member) && member.includes(REFUSED) ? null : problemOfField(field, member);
    if (issue !== null) issues.push({ field: name, issue });
    judgeInside(field.shape, member, name, issues);
  }
}

function judgeInside(shape: Shape, value: unknown, path: string, issues: Issue[]): void {
  if (shape.kind === 'list' && Array.isArray(value))
    value.forEach((item, index) => judgeInside(shape.item, item, `${path}[${index}]`, issues));
  else if (shape.kind === 'object' && typeof value === 'object' && value !== null)
    judgeObject(shape.shapeClass(), value as JsonMembers, path, issues);
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
