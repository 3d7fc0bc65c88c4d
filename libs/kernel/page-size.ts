/** The maximum page size of a list, in items (contract part 1). */
export const MAX_PAGE_SIZE = 200;
