import { type Field, fieldsOf, type Shape, type ShapeClass } from './shape.js';

/** Writes a value as JSON. */
export type Serialiser = (value: unknown) => string;

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** An answer does not have the shape of its class. The cause is a mistake in the service, never in the request. */
export class UnserialisableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnserialisableError';
  }
}

/**
 * Compiles the writer of a response class. It writes the declared fields only, so no other property of the object can leave the
 * service. The writer throws {@link UnserialisableError} for a missing value.
 */
export function compileSerialiser(shapeClass: ShapeClass): Serialiser {
  return objectSerialiser(shapeClass, new Map());
}

type Compiled = Map<ShapeClass, Serialiser>;

function objectSerialiser(shapeClass: ShapeClass, compiled: Compiled): Serialiser {
  const known = compiled.get(shapeClass);
  if (known !== undefined) return known;
  let members: readonly Member[] = [];
  const serialise: Serialiser = (value) => {
    if (typeof value !== 'object' || value === null) throw new UnserialisableError(`${shapeClass.name} is not an object`);
    const record = value as Readonly<Record<string, unknown>>;
    let text = '';
    for (const member of members) {
      const written = member.write(record[member.name]);
      if (written !== undefined) text += text === '' ? member.label + written : `,${member.label}${written}`;
    }
    return `{${text}}`;
  };
  compiled.set(shapeClass, serialise);
  members = fieldsOf(shapeClass).map((field) => memberOf(shapeClass, field, compiled));
  return serialise;
}

interface Member {
  readonly name: string;
  readonly label: string;
  readonly write: (value: unknown) => string | undefined;
}

function memberOf(shapeClass: ShapeClass, field: Field, compiled: Compiled): Member {
  const { name, nullable, optional } = field;
  const serialise = serialiserOf(field.shape, compiled);
  const write = (value: unknown): string | undefined => {
    if (value === null || value === undefined) {
      if (value === null && nullable) return 'null';
      if (value === undefined && optional) return undefined;
      throw new UnserialisableError(`${shapeClass.name}.${name} is ${String(value)}`);
    }
    return serialise(value);
  };
  return { name, label: `${JSON.stringify(name)}:`, write };
}

function serialiserOf(shape: Shape, compiled: Compiled): Serialiser {
  switch (shape.kind) {
    case 'text':
    case 'date':
    case 'enumeration':
    case 'identifier':
      return writeText;
    case 'date_time':
      return (value) => writeText(value instanceof Date ? value.toISOString() : value);
    case 'integer':
    case 'number':
      return writeNumber;
    case 'boolean':
      return (value) => (value === true ? 'true' : 'false');
    case 'object':
      return lazily(() => objectSerialiser(shape.shapeClass(), compiled));
    case 'list':
      return listSerialiser(serialiserOf(shape.item, compiled));
    case 'one_of':
      return oneOfSerialiser(shape.shapes, compiled);
  }
}

function writeText(value: unknown): string {
  if (typeof value !== 'string') throw new UnserialisableError(`expected text, got ${typeof value}`);
  return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
}

function writeNumber(value: unknown): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new UnserialisableError(`expected a number, got ${typeof value}`);
  return String(value);
}

function lazily(make: () => Serialiser): Serialiser {
  let serialise: Serialiser | undefined;
  return (value) => (serialise ??= make())(value);
}

/** Returns the writer of a list whose items all have one shape. */
export function listSerialiser(item: Serialiser): Serialiser {
  return (value) => {
    if (!Array.isArray(value)) throw new UnserialisableError('expected a list');
    let text = '';
    for (let index = 0; index < value.length; index += 1) text += index === 0 ? item(value[index]) : `,${item(value[index])}`;
    return `[${text}]`;
  };
}

function oneOfSerialiser(shapes: readonly Shape[], compiled: Compiled): Serialiser {
  const candidates = shapes.map((shape) => ({ takes: taker(shape), serialise: serialiserOf(shape, compiled) }));
  return (value) => {
    const candidate = candidates.find(({ takes }) => takes(value));
    if (candidate === undefined) throw new UnserialisableError(`no shape for a ${typeof value}`);
    return candidate.serialise(value);
  };
}

function taker(shape: Shape): (value: unknown) => boolean {
  switch (shape.kind) {
    case 'integer':
    case 'number':
      return (value) => typeof value === 'number';
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'list':
      return Array.isArray;
    case 'object':
      return (value) => hasRequiredFields(shape.shapeClass(), value);
    case 'one_of':
      return (value) => shape.shapes.some((candidate) => taker(candidate)(value));
    default:
      return (value) => typeof value === 'string';
  }
}

function hasRequiredFields(shapeClass: ShapeClass, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return fieldsOf(shapeClass).every(({ name, optional }) => optional || name in value);
}
