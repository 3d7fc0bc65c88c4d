import { Anchor, Code, Stack, Text } from '@mantine/core';
import { ApiKeys } from './api-keys.js';

/** Test data for programs: synthetic people, at an address of its own, for test keys only. */
export function Sandbox() {
  return (
    <Stack>
      <Text size="sm" maw={720}>
        Test keys (<Code>svc_test_…</Code>) work only at the sandbox address of the service. They read and change
        synthetic people, the same in every sandbox, and reach nothing of the organisation. Users cannot sign in there.
        The operator makes and resets the sandbox with <Code>workforce sandbox refresh</Code>. Its people, with their
        ids and cases, are in the{' '}
        <Anchor href="/docs/reference/sandbox" underline="always">
          reference
        </Anchor>
        .
      </Text>
      <ApiKeys environment="sandbox" />
    </Stack>
  );
}
