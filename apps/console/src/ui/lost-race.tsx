import { Alert, Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

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
  const { t } = useTranslation();
  return (
    <Alert color="orange" role="alert" title={t('lostRace.title')}>
      <Stack gap="xs" align="flex-start">
        {differences.length === 0 && <Text size="sm">{t('lostRace.none')}</Text>}
        {differences.length > 0 && (
          <Table aria-label={t('lostRace.changes')} verticalSpacing={2}>
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
        <Text size="sm">{t('lostRace.kept')}</Text>
      </Stack>
    </Alert>
  );
}
