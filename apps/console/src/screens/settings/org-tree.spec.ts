import { rowAfterKey, rowsOfTree, withBelow } from './org-tree.js';

const unit = (id: string, parent: string | null = null) => ({
  id,
  name: id.toUpperCase(),
  parent: parent === null ? null : { id: parent },
});
const UNITS = [unit('a'), unit('b', 'a'), unit('c', 'b'), unit('d', 'a'), unit('e', 'gone')];
const NONE: ReadonlySet<string> = new Set();

describe('the rows of the tree', () => {
  it('have their level and their position among siblings', () => {
    expect(
      rowsOfTree(UNITS, NONE).map(({ unit: { id }, level, position, siblings, hasChildren }) => [
        id,
        level,
        position,
        siblings,
        hasChildren,
      ]),
    ).toEqual([
      ['a', 1, 1, 2, true],
      ['b', 2, 1, 2, true],
      ['c', 3, 1, 1, false],
      ['d', 2, 2, 2, false],
      ['e', 1, 2, 2, false],
    ]);
  });

  it('leave out what is below a closed unit', () => {
    expect(rowsOfTree(UNITS, new Set(['b'])).map(({ unit: { id } }) => id)).toEqual(['a', 'b', 'd', 'e']);
  });
});

it('a unit and all below it are no place for that unit', () => {
  expect([...withBelow(UNITS, 'a')].sort()).toEqual(['a', 'b', 'c', 'd']);
});

describe('a key of the tree', () => {
  const rows = rowsOfTree(UNITS, NONE);
  it.each([
    [0, 'ArrowDown', 1],
    [4, 'ArrowDown', 4],
    [0, 'ArrowUp', 0],
    [3, 'Home', 0],
    [0, 'End', 4],
    [0, 'd', 3],
    [3, 'a', 0],
    [0, 'z', null],
    [0, 'F2', null],
  ])('from row %i, %s leads to %s', (at, key, to) => {
    expect(rowAfterKey(rows, at, key)).toBe(to);
  });
});
