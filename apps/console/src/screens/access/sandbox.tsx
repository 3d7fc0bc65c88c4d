import { Anchor, Code, Stack, Text } from '@mantine/core';
import { Trans, useTranslation } from 'react-i18next';
import { ApiKeys } from './api-keys.js';

/** Test data for programs: synthetic people, at an address of its own, for test keys only. */
export function Sandbox() {
  const { t } = useTranslation('access');
  return (
    <Stack>
      <Text size="sm" maw={720}>
        <Trans
          t={t}
          i18nKey="sandboxText"
          components={[
            <Code key="code" />,
            <Anchor key="reference" href="/docs/reference/sandbox" underline="always" />,
          ]}
        />
      </Text>
      <ApiKeys environment="sandbox" />
    </Stack>
  );
}
