import { Alert, Stack, Table, Text } from '@mantine/core';

/** A value before and after, in words. */
export interface Difference {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

interface LostRaceProperties {
  /** Changes of another user since the form was filled. */
  readonly differences: readonly Difference[];
}

/**
 * A conflict: the changes of another user. The form keeps the typed text and is now based
 * on the change, so that its button sends what is shown.
 */
export function LostRace({ differences }: LostRaceProperties) {
  return (
    <Alert color="orange" role="alert" title="Another user has changed this record">
      <Stack gap="xs" align="flex-start">
        {differences.length === 0 && <Text size="sm">No field in this form differs.</Text>}
        {differences.length > 0 && (
          <Table aria-label="Changes by another user" verticalSpacing={2}>
            <Table.Tbody>
              {differences.map(({ what, before, after }) => (
                <Table.Tr key={what}>
                  <Table.Th scope="row">{what}</Table.Th>
                  <Table.Td>
                    <del>{before}</del>
                  </Table.Td>
                  <Table.Td>{after}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Text size="sm">
          Nothing was written, and your input is kept. The form now shows both changes: check it, then send it.
        </Text>
      </Stack>
    </Alert>
  );
}
