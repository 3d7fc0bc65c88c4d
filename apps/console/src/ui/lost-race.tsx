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
    <Alert color="orange" role="alert" title="Somebody else has changed this meanwhile">
      <Stack gap="xs" align="flex-start">
        {differences.length === 0 && <Text size="sm">Nothing that is shown here differs.</Text>}
        {differences.length > 0 && (
          <Table aria-label="What somebody else changed" verticalSpacing={2}>
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
          Nothing was written, and nothing that you typed is lost. The form shows both now: check it, then send it.
        </Text>
      </Stack>
    </Alert>
  );
}
