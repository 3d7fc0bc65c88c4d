import { Alert, Button, Stack, Table, Text } from '@mantine/core';

/** A value before and after, in words. */
export interface Difference {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

interface LostRaceProperties {
  /** What somebody else changed since the form was filled; undefined while it is read. */
  readonly differences: readonly Difference[] | undefined;
  /** Sends what was typed on top of the change. */
  readonly onSendAnyway: () => void;
}

/** Somebody else was faster: what they changed, and what can be done. The form keeps what was typed. */
export function LostRace({ differences, onSendAnyway }: LostRaceProperties) {
  return (
    <Alert color="orange" role="alert" title="Somebody else has changed this meanwhile">
      <Stack gap="xs" align="flex-start">
        {differences?.length === 0 && <Text size="sm">Nothing that is shown here differs.</Text>}
        {differences !== undefined && differences.length > 0 && (
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
        <Text size="sm">Nothing that you typed is lost. Check it against the change, then send it again.</Text>
        <Button size="xs" disabled={differences === undefined} onClick={onSendAnyway}>
          Send mine as well
        </Button>
      </Stack>
    </Alert>
  );
}
