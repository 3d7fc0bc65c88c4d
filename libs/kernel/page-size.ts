/** The largest page of a list, in items (contract part 1). */
export const LARGEST_PAGE_SIZE = 200;
