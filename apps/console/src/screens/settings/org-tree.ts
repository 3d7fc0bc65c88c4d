/** A unit with its place in the tree. */
export interface TreeUnit {
  readonly id: string;
  readonly name: string;
  readonly parent: { readonly id: string } | null;
}

/** A unit as the tree shows it, a row each. */
export interface TreeRow<Unit extends TreeUnit> {
  readonly unit: Unit;
  /** From 1. */
  readonly level: number;
  /** Its position among the units with the same parent, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  readonly hasChildren: boolean;
}

/**
 * The rows of the tree from top to bottom, without those below closed units. A unit whose parent is not among
 * the units is at the top.
 */
export function rowsOfTree<Unit extends TreeUnit>(
  units: readonly Unit[],
  closed: ReadonlySet<string>,
): readonly TreeRow<Unit>[] {
  const ids = new Set(units.map(({ id }) => id));
  const below = new Map<string, Unit[]>();
  for (const unit of units) {
    const parent = unit.parent !== null && ids.has(unit.parent.id) ? unit.parent.id : '';
    below.set(parent, [...(below.get(parent) ?? []), unit]);
  }
  const rowsBelow = (id: string, level: number): readonly TreeRow<Unit>[] => {
    const siblings = below.get(id) ?? [];
    return siblings.flatMap((unit, index) => [
      { unit, level, position: index + 1, siblings: siblings.length, hasChildren: below.has(unit.id) },
      ...(closed.has(unit.id) ? [] : rowsBelow(unit.id, level + 1)),
    ]);
  };
  return rowsBelow('', 1);
}

/** The ids of a unit and of all units below it: a unit can be moved below none of them. */
export function withBelow(units: readonly TreeUnit[], id: string): ReadonlySet<string> {
  const found = new Set([id]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const unit of units) if (unit.parent !== null && found.has(unit.parent.id)) found.add(unit.id);
  }
  return found;
}

/** The row to which a key of the tree moves the focus (WAI-ARIA, "Tree View"); null for other keys. */
export function rowAfterKey<Unit extends TreeUnit>(
  rows: readonly TreeRow<Unit>[],
  at: number,
  key: string,
): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, rows.length - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    default: {
      if (!/^[\p{L}\p{N}]$/u.test(key)) return null;
      const starts = ({ unit }: TreeRow<Unit>): boolean =>
        unit.name.toLocaleLowerCase().startsWith(key.toLocaleLowerCase());
      const next = rows.findIndex((row, index) => index > at && starts(row));
      const found = next === -1 ? rows.findIndex(starts) : next;
      return found === -1 ? null : found;
    }
  }
}
