import type { FieldDescription, FieldList, PlainField, PlainFieldOptions } from '#kernel/field-list.js';
import { BooleanField, DateField, EnumField, type FieldOptions, IdField, IntegerField, TextField } from '../fields.js';
import type { ShapeClass } from './shape.js';

/** The decorators of the fields of a shape, by their names, in their order. */
export type ShapeFields = { readonly [name: string]: PropertyDecorator };

/**
 * The class of a shape: `class LocationResponse extends shapeOf<Shown>({ id: IdField('location'), … }) {}`.
 */
export function shapeOf<Instance extends object>(fields: ShapeFields): ShapeClass<Instance> {
  class Shape {}
  for (const [name, decorate] of Object.entries(fields)) decorate(Shape.prototype, name);
  return Shape as ShapeClass<Instance>;
}

/**
 * The fields of a plain resource in responses; `replaced` has the decorators of fields with another shape
 * there.
 */
export function answerFields(list: FieldList, replaced: ShapeFields = {}): ShapeFields {
  return Object.fromEntries(
    Object.entries(list.fields).map(([name, { outside = name, ...field }]) => {
      // A stored text is valid, so responses document only its maximum length.
      return [outside, replaced[outside] ?? decoratorOf({ ...field, minimumLength: 0, ...field.answers })];
    }),
  );
}

/**
 * The fields of a request that creates a plain resource; those with an initial value are optional.
 * `described` has the documentation of fields in this request, `replaced` the decorators of fields with
 * another shape there.
 */
export function requestFields(
  list: FieldList,
  described: { readonly [name: string]: FieldDescription } = {},
  replaced: ShapeFields = {},
): ShapeFields {
  return Object.fromEntries(
    Object.entries(list.fields).map(([name, field]) => [
      name,
      replaced[name] ??
        decoratorOf({
          ...field,
          ...described[name],
          optional: field.initial !== undefined && field.isRequested !== true,
        }),
    ]),
  );
}

type Described = Omit<PlainField, keyof PlainFieldOptions<never>> & FieldDescription & FieldOptions;

function decoratorOf(field: Described): PropertyDecorator {
  switch (field.kind) {
    case 'text':
      return TextField(field);
    case 'integer':
      return IntegerField(field);
    case 'boolean':
      return BooleanField(field);
    case 'choice':
      return EnumField(field.values!, field);
    case 'date':
      return DateField(field);
    case 'reference':
      return IdField(field.of!, field);
    case 'list':
      throw new Error('a list has a shape of its own');
  }
}
