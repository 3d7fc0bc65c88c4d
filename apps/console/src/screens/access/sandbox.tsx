import { Anchor, Code, Stack, Text } from '@mantine/core';
import { ApiKeys } from './api-keys.js';

/** Test data for programs: synthetic people, at an address of its own, for test keys only. */
export function Sandbox() {
  return (
    <Stack>
      <Text size="sm" maw={720}>
        Test keys (<Code>svc_test_…</Code>) work at the sandbox address of the service alone. They read and change
        synthetic people, the same in every sandbox, and reach nothing of the organisation. Nobody signs in there. The
        operator makes the sandbox, and sets it back, with <Code>workforce sandbox refresh</Code>. Its people, their ids
        and what each is an example of are in the{' '}
        <Anchor href="/docs/reference/sandbox" underline="always">
          reference
        </Anchor>
        .
      </Text>
      <ApiKeys environment="sandbox" />
    </Stack>
  );
}
