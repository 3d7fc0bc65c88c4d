import { IntegerField, TextField } from './fields.js';

export const DEFAULT_PAGE_SIZE = 50;
export const LARGEST_PAGE_SIZE = 200;

/** What every paginated list takes; queries of lists extend it. */
export class PageQuery {
  @IntegerField({
    minimum: 1,
    maximum: LARGEST_PAGE_SIZE,
    optional: true,
    description: `Rows of a page; ${DEFAULT_PAGE_SIZE} where not given.`,
    example: 50,
  })
  readonly limit?: number;

  @TextField({
    maximumLength: 2_048,
    optional: true,
    description: 'The next_cursor of the page before, exactly as it was returned.',
    example: 'b2Zmc2V0',
  })
  readonly cursor?: string;
}
