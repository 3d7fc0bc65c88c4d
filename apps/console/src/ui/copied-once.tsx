import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';

interface CopiedOnceProperties {
  /** What it is: "The key", "The link". */
  readonly what: string;
  readonly text: string;
  /** How it is given to whom it is for. */
  readonly hint: string;
}

/** A secret that is shown this one time, with a button that copies it. */
export function CopiedOnce({ what, text, hint }: CopiedOnceProperties) {
  return (
    <Stack gap="sm">
      <Alert variant="default" icon={<IconAlertTriangle aria-hidden />} title={`${what} is shown this once`}>
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
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}
