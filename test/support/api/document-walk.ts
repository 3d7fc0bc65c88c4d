import { randomBytes, randomInt } from 'node:crypto';
import { ID_PREFIXES, PERSON_ID_ALPHABET } from '#kernel/identifier.js';
import type { DocumentedOperation, OpenApiDocument } from './answer-check.js';

/** One operation of the document. */
export interface WalkedOperation {
  readonly method: string;
  /** With parameters in braces. */
  readonly template: string;
  readonly operation: DocumentedOperation;
}

/** Every operation of the document. */
export function operationsOf(document: OpenApiDocument): readonly WalkedOperation[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
  );
}

/** The parts of a JSON Schema that the tests read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Returns the schema that this one refers to, or the schema itself. */
export function resolved(document: OpenApiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1)!] as Schema);
}

/** Returns the schema of an operation's body; null where it has none. */
export function bodySchemaOf(document: OpenApiDocument, operation: DocumentedOperation): Schema | null {
  const content = operation.requestBody?.content['application/json'];
  return content === undefined ? null : resolved(document, content.schema);
}

/**
 * Returns the kind of id that a schema requires: `person`, or a prefix such as `org_unit_`; null where it
 * requires none.
 */
export function idKindOf(schema: Schema): string | null {
  const { pattern } = schema.anyOf?.find((candidate) => candidate.pattern !== undefined) ?? schema;
  if (pattern === undefined) return null;
  if (pattern.includes('{12}$') && !pattern.includes('\\.')) return 'person';
  return Object.values(ID_PREFIXES).find((prefix) => pattern.startsWith(`^${prefix}[`)) ?? null;
}

/** Returns a well-formed id of this kind that no resource has. */
export function randomId(kind: string): string {
  if (kind === 'person') return Array.from({ length: 12 }, () => PERSON_ID_ALPHABET[randomInt(32)]!).join('');
  const segment = (bytes: number): string => randomBytes(bytes).toString('base64url');
  return `${kind}${segment(6)}.${segment(6)}.${segment(9)}`;
}
