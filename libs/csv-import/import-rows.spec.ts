import { MemoryEventStore } from '../../test/support/memory-event-store.js';
import { text } from '#http/fields.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import { testContext } from '../../test/support/command-services.js';
import { importRows, type RowImport } from './import-rows.js';
import type { ImportSettings } from './import-settings.js';

interface Widget {
  readonly label: string;
  readonly size: number | undefined;
}

const recorded: { readonly row: Widget; readonly seed: readonly string[]; readonly today: string }[] = [];
beforeEach(() => {
  recorded.length = 0;
});

const WIDGETS: RowImport<Widget> = {
  columns: ['label', 'code', 'size'],
  synonyms: {},
  needed: [['label', 'code'], ['size']],
  read: (cells) => {
    cells.require('label');
    return {
      label: cells.text('label', text({ maximumLength: 5 })) ?? '',
      size: cells.integer('size', { kind: 'integer', minimum: 1, maximum: 9 }),
    };
  },
  keyOf: ({ label }) => ({ column: 'label', key: label.toLowerCase() }),
  record: async (_services, { seed, today }, row) => {
    if (row.label === 'taken') throw new RejectedError(conflict('widget_label', 'is taken'));
    if (row.label === 'lost') throw new Error('the store is unavailable');
    recorded.push({ row, seed, today });
    return row.size === undefined ? 'unchanged' : 'created';
  },
  columnOf: (field) => field.replace('widget_', ''),
};

async function importLines(lines: readonly string[], definition: RowImport<Widget> = WIDGETS) {
  const settled: string[] = [];
  const settings = {
    services: { store: new MemoryEventStore() },
    context: testContext('org_a'),
    today: () => '2026-03-01',
    dryRun: false,
    onRead: () => undefined,
    onSettled: (rows: number, total: number) => settled.push(`${rows}/${total}`),
  } as unknown as ImportSettings;
  async function* rows() {
    for (const [index, line] of lines.entries()) yield { line: index + 1, cells: line.split(',') };
  }
  const { rows: count, created, changed, unchanged, failed, problems } = await importRows(settings, rows(), definition);
  expect(created + changed + unchanged + failed).toBe(count);
  return {
    created,
    unchanged,
    failed,
    problems: problems.map(({ line, field, issue }) => `${line} ${field} ${issue}`),
    settled,
  };
}

describe('an import of rows', () => {
  it('records valid rows in their order, each with a seed of its own, and reports the others with their lines', async () => {
    expect(await importLines(['label,size', 'one,1', 'toolong,99', 'two,', 'taken,2', ',x', 'ONE,3', 'six,6'])).toEqual(
      {
        created: 1,
        unchanged: 1,
        failed: 5,
        problems: [
          '2 label is also on line 7: a file may contain it once',
          '3 label must be at most 5 characters long',
          '3 size must be at most 9',
          '5 label is taken',
          '6 label is required',
          '6 size must be a whole number',
          '7 label is also on line 2: a file may contain it once',
        ],
        settled: ['7/7', '7/7', '7/7'],
      },
    );
    expect(recorded.map(({ row, today }) => [row.label, today])).toEqual([
      ['two', '2026-03-01'],
      ['six', '2026-03-01'],
    ]);
    expect(new Set(recorded.map(({ seed }) => seed.join())).size).toBe(2);
  });

  it('prepares all valid rows before it records the first', async () => {
    const prepared: string[] = [];
    const prepare: NonNullable<typeof WIDGETS.prepare> = async (_services, organisationId, rows) => {
      prepared.push(organisationId, ...rows.map(({ label }) => `${label} ${recorded.length}`));
    };
    await importLines(['label,size', 'one,1', 'two,x', 'three,3'], { ...WIDGETS, prepare });
    expect(prepared).toEqual(['org_a', 'one 0', 'three 0']);
  });

  it('refuses a file whose header lacks a required column under each of its names', async () => {
    expect((await importLines(['label', 'one'])).problems).toEqual(['1 size the header needs a column size']);
    expect((await importLines(['size', '1'])).problems).toEqual(['1 label the header needs a column label or code']);
    expect((await importLines([])).problems).toHaveLength(2);
    expect(recorded).toEqual([]);
  });

  it('records nothing of a truncated file, and starts no further row after the store fails', async () => {
    async function* broken() {
      yield { line: 1, cells: ['label', 'size'] };
      yield { line: 2, cells: ['one', '1'] };
      throw new Error('no CSV');
    }
    const settings = {
      services: {},
      context: testContext('org_a'),
      today: () => '2026-03-01',
      dryRun: false,
      onRead: () => undefined,
      onSettled: () => undefined,
    } as unknown as ImportSettings;
    await expect(importRows(settings, broken(), WIDGETS)).rejects.toThrow('no CSV');
    expect(recorded).toEqual([]);
    const many = Array.from({ length: 100 }, (_, index) => `n${index},1`);
    await expect(importLines(['label,size', 'one,1', 'lost,1', ...many])).rejects.toThrow('the store is unavailable');
    expect(recorded.length).toBeLessThan(16);
  });

  it('records sixteen rows at once, and rows with one subject one after the other', async () => {
    const running = new Map<string, number>();
    let limit = 0;
    const record = async (_services: unknown, _context: unknown, row: Widget) => {
      const subject = row.label.slice(0, 2);
      expect(running.get(subject) ?? 0).toBe(0);
      running.set(subject, 1);
      limit = Math.max(limit, [...running.values()].filter((count) => count > 0).length);
      await new Promise(setImmediate);
      running.set(subject, 0);
      recorded.push({ row, seed: [], today: '' });
      return 'created' as const;
    };
    const lines = Array.from(
      { length: 80 },
      (_, index) => `${String.fromCharCode(97 + (index % 20))}-${Math.floor(index / 20)},1`,
    );
    await importLines(['label,size', ...lines], { ...WIDGETS, record, subjectOf: ({ label }) => label.slice(0, 2) });
    expect(limit).toBe(16);
    for (const subject of ['a-', 't-'])
      expect(recorded.map(({ row }) => row.label).filter((label) => label.startsWith(subject))).toEqual(
        [0, 1, 2, 3].map((place) => subject + place),
      );
  });
});
