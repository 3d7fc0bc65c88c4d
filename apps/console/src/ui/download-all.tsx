import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveFile } from '../data/csv.js';
import type { Pages } from '../data/use-pages.js';

interface DownloadAllProperties<Row> {
  /** A list that `usePages` reads. */
  readonly of: Pages<Row>;
  readonly fileName: string;
  /** The rows as CSV. */
  readonly tableOf: (rows: readonly Row[]) => string;
}

/**
 * Reads the rest of a list and saves it as a file: a file with only a part of the rows could be mistaken for all
 * of them, so that none is saved if a page cannot be read. The list then shows the failure.
 */
export function DownloadAll<Row>({ of: list, fileName, tableOf }: DownloadAllProperties<Row>) {
  const { t } = useTranslation();
  const [isReading, setReading] = useState(false);
  const save = async (): Promise<void> => {
    setReading(true);
    let page: { readonly hasNextPage: boolean; readonly isError: boolean; readonly data?: typeof list.data } = list;
    while (page.hasNextPage && !page.isError) page = await list.fetchNextPage();
    setReading(false);
    if (!page.isError) saveFile(fileName, tableOf(page.data?.pages.flatMap(({ data }) => data) ?? []));
  };
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      disabled={list.items.length === 0}
      loading={isReading}
      onClick={() => void save()}
    >
      {t('downloadCsv')}
    </Button>
  );
}
