import { Button, type ButtonProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface ShowMoreProperties extends ButtonProps {
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Reads the next page of a list, if there is one. */
export function ShowMore({ of: list, children, ...properties }: ShowMoreProperties) {
  const { t } = useTranslation();
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="default"
      {...properties}
      onClick={() => void list.fetchNextPage()}
      loading={list.isFetchingNextPage}
    >
      {children ?? t('showMore')}
    </Button>
  );
}
