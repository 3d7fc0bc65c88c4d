import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

interface CopiedOnceProperties {
  /** Its name: "The key", "The link". */
  readonly what: string;
  readonly text: string;
  /** How to pass it on to its recipient. */
  readonly hint: string;
}

/** A secret that is shown only once, with a button that copies it. */
export function CopiedOnce({ what, text, hint }: CopiedOnceProperties) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Alert variant="default" icon={<IconAlertTriangle aria-hidden />} title={t('shownOnce', { what })}>
        <Text size="sm">{hint}</Text>
      </Alert>
      <Code block tabIndex={0} aria-label={what}>
        {text}
      </Code>
      <Group>
        <CopyButton value={text} timeout={4_000}>
          {({ copied, copy }) => (
            <Button
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              aria-live="polite"
            >
              {t(copied ? 'copied' : 'copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}
