import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '../../ui/screen-link.js';

interface PersonOfProperties {
  readonly person: { readonly id: string; readonly display_name: string; readonly staff_id: string | null };
  /** Whether the user may read the person. */
  readonly isLink: boolean;
}

/** The name and the staff id of a person in an export. */
export function PersonOf({ person, isLink }: PersonOfProperties) {
  const { t } = useTranslation('payroll');
  return (
    <>
      {isLink ? (
        <ScreenLink to={`/people/${person.id}`} size="sm">
          {person.display_name}
        </ScreenLink>
      ) : (
        person.display_name
      )}
      <Text size="xs" c="dimmed">
        {person.staff_id ?? t('noStaffId')}
      </Text>
    </>
  );
}
