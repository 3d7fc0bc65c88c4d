/** The values that differ from those of a base. */
export function changesOf<Values extends object>(values: Values, base: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(base[name as keyof Values]),
    ),
  ) as Partial<Values>;
}
