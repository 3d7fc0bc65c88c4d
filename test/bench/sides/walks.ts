import { addDays, type LocalDate } from '#kernel/dates.js';
import { PREFIX } from './product.js';
import { readJson } from './product-data.js';

/** A record as a list shows it: its JSON and where it stands in the list's order. */
export interface Listed {
  readonly id: string;
  /** The value that the list is sorted by, before the id. */
  readonly place: string;
  readonly text: string;
}

/** A whole list, and the paths of all its pages at each of the two servers. */
export interface Walk {
  readonly listed: readonly Listed[];
  readonly productPaths: readonly string[];
  readonly barePaths: readonly string[];
}

interface Page {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly id: string })[];
  readonly pagination: { readonly next_cursor?: string | null };
}

const BEFORE_ALL = '1970-01-01';
const QUARTER_DAYS = 91;

/** Walks all people, page by page, as a client would. */
export function walkPeople(productUrl: string, apiKey: string): Promise<Walk> {
  return walk(productUrl, apiKey, {
    path: '/people?limit=100',
    placeOf: ({ created_at }) => String(created_at),
    barePath: (after) => `/people?created_at=${after?.place ?? BEFORE_ALL}&id=${after?.id ?? ''}`,
  });
}

/** The paths of all pages of a list of the product, from the path of its first one without the prefix. */
export async function pathsOf(productUrl: string, apiKey: string, path: string): Promise<readonly string[]> {
  const { productPaths } = await walk(productUrl, apiKey, { path, placeOf: ({ id }) => id, barePath: () => path });
  return productPaths;
}

/** Walks the time off of some quarters, which follow each other from a day on. */
export async function walkQuarters(productUrl: string, apiKey: string, firstDay: LocalDate, quarters: number): Promise<Walk> {
  const walks: Walk[] = [];
  for (let quarter = 0; quarter < quarters; quarter += 1) {
    const from = addDays(firstDay, quarter * QUARTER_DAYS);
    const to = addDays(from, QUARTER_DAYS - 1);
    walks.push(
      await walk(productUrl, apiKey, {
        path: `/time-off?from=${from}&to=${to}&limit=100`,
        placeOf: ({ start_date }) => String(start_date),
        barePath: (after) => `/time-off?from=${after?.place ?? from}&id=${after?.id ?? ''}&to=${to}`,
      }),
    );
  }
  return {
    listed: walks.flatMap(({ listed }) => listed),
    productPaths: walks.flatMap(({ productPaths }) => productPaths),
    barePaths: walks.flatMap(({ barePaths }) => barePaths),
  };
}

async function walk(
  productUrl: string,
  apiKey: string,
  list: {
    readonly path: string;
    readonly placeOf: (record: Page['data'][number]) => string;
    readonly barePath: (after: Listed | null) => string;
  },
): Promise<Walk> {
  const listed: Listed[] = [];
  const productPaths: string[] = [];
  const barePaths: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = PREFIX + list.path + (cursor === '' ? '' : `&cursor=${cursor}`);
    const page: Page = await readJson(productUrl + path, apiKey);
    productPaths.push(path);
    barePaths.push(list.barePath(listed.at(-1) ?? null));
    listed.push(...page.data.map((record) => ({ id: record.id, place: list.placeOf(record), text: JSON.stringify(record) })));
    cursor = page.pagination.next_cursor ?? null;
  }
  return { listed, productPaths, barePaths };
}
