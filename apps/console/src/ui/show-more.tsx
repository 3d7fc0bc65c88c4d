import { Button, type ButtonProps } from '@mantine/core';

interface ShowMoreProperties extends ButtonProps {
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Reads the next page of a list, if there is one. */
export function ShowMore({ of: list, children = 'Show more', ...properties }: ShowMoreProperties) {
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="default"
      {...properties}
      onClick={() => void list.fetchNextPage()}
      loading={list.isFetchingNextPage}
    >
      {children}
    </Button>
  );
}
