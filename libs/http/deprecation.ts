import { type Deprecation, fieldsOf, type Shape, type ShapeClass } from './fields/shape.js';

/** The parts of an operation that can be deprecated. */
interface Deprecatable {
  readonly deprecated?: Deprecation;
  readonly query?: ShapeClass;
  readonly body?: ShapeClass;
  readonly response: ShapeClass | null;
}

/**
 * Returns the deprecation of an operation: its own, or that of the fields of its query, body and response.
 * The earliest days count. Null if nothing in it is deprecated.
 */
export function deprecationOf({ deprecated, query, body, response }: Deprecatable): Deprecation | null {
  const found = [
    ...(deprecated === undefined ? [] : [deprecated]),
    ...[query, body, response].flatMap((shape) => deprecationsIn(shape ?? undefined, new Set())),
  ];
  if (found.length === 0) return null;
  const [since] = found.map((one) => one.since).sort();
  const [sunset] = found.flatMap((one) => one.sunset ?? []).sort();
  return { since: since!, ...(sunset === undefined ? {} : { sunset }) };
}

/**
 * Returns the headers that announce a deprecation: `Deprecation` as seconds of Unix time (RFC 9745) and
 * `Sunset` as an HTTP date (RFC 8594).
 */
export function deprecationHeaders({ since, sunset }: Deprecation): Readonly<Record<string, string>> {
  const deprecation = `@${startOf(since).getTime() / 1_000}`;
  return sunset === undefined ? { deprecation } : { deprecation, sunset: startOf(sunset).toUTCString() };
}

/** Returns the sentence that readers of the OpenAPI document see. */
export function deprecationSentence({ since, sunset }: Deprecation): string {
  return `Deprecated since ${since}${sunset === undefined ? '' : `, may be gone from ${sunset}`}.`;
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

function deprecationsIn(shapeClass: ShapeClass | undefined, seen: Set<ShapeClass>): readonly Deprecation[] {
  if (shapeClass === undefined || seen.has(shapeClass)) return [];
  seen.add(shapeClass);
  return fieldsOf(shapeClass).flatMap(({ deprecated, shape }) => [
    ...(deprecated === undefined ? [] : [deprecated]),
    ...classesIn(shape).flatMap((inner) => deprecationsIn(inner, seen)),
  ]);
}

function classesIn(shape: Shape): readonly ShapeClass[] {
  if (shape.kind === 'object') return [shape.shapeClass()];
  if (shape.kind === 'list') return classesIn(shape.item);
  return shape.kind === 'one_of' ? shape.shapes.flatMap(classesIn) : [];
}
