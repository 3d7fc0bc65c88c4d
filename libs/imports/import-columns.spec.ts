import { fold } from '#kernel/aggregate.js';
import {
  decideImportColumns,
  importColumnsAggregate,
  type ImportColumnsEvent,
  type MappedColumn,
} from './import-columns.js';

const MAPPING: readonly MappedColumn[] = [
  { header: 'Personalnummer', column: 'staff_id' },
  { header: 'Salary', column: null },
];
const mapped = (mapping: readonly MappedColumn[]): ImportColumnsEvent => ({
  type: 'ImportColumnsMapped',
  data: { mapping },
});
const when = (mapping: readonly MappedColumn[], ...given: readonly ImportColumnsEvent[]) =>
  decideImportColumns(mapping, fold(importColumnsAggregate, given));

describe('the mapping of columns', () => {
  it('is recorded as a whole, once, and removed by an empty one', () => {
    expect(when(MAPPING)).toEqual({ events: [mapped(MAPPING)] });
    expect(when(MAPPING, mapped(MAPPING))).toEqual({ events: [] });
    expect(when([], mapped(MAPPING))).toEqual({ events: [mapped([])] });
    expect(when([])).toEqual({ events: [] });
  });
});
