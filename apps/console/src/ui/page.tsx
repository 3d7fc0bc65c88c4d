import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface PageProperties {
  readonly title: string;
  /** Next to the title, such as a count or an as-of day. */
  readonly note?: ReactNode;
  /** Buttons at the right. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A screen: its title in the page and in the tab of the browser, its actions, its content. */
export function Page({ title, note, actions, children }: PageProperties) {
  useEffect(() => {
    document.title = `${title} · Workforce HR`;
  }, [title]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end" wrap="wrap" gap="sm">
        <Box>
          <Title order={1} size="h2">
            {title}
          </Title>
          {note !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {note}
            </Text>
          )}
        </Box>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
