import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { saveFile } from '../data/csv.js';

interface DownloadAllProperties<Row> {
  /** A list that `usePages` reads. */
  readonly of: {
    readonly isSuccess: boolean;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
  };
  readonly rows: readonly Row[];
  readonly fileName: string;
  /** The rows as CSV. */
  readonly tableOf: (rows: readonly Row[]) => string;
}

/**
 * Saves a list as a file once all its pages are read: a file with only a part of the rows could be mistaken
 * for all of them.
 */
export function DownloadAll<Row>({ of: list, rows, fileName, tableOf }: DownloadAllProperties<Row>) {
  const isWhole = list.isSuccess && !list.hasNextPage;
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      disabled={rows.length === 0}
      loading={list.isFetchingNextPage}
      onClick={() => (isWhole ? saveFile(fileName, tableOf(rows)) : list.fetchNextPage())}
    >
      {isWhole || rows.length === 0 ? 'Download CSV' : 'Read the rest to download'}
    </Button>
  );
}
