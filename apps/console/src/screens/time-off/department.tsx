import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client } from '../../data/client.js';
import { useMay } from '../../data/session.js';

interface DepartmentProperties {
  readonly value: string | undefined;
  readonly onChange: (department: string | undefined) => void;
}

/** Chooses a department, with the units below it; nothing for users who may not read units. */
export function Department({ value, onChange }: DepartmentProperties) {
  const { t } = useTranslation('time-off');
  const may = useMay('org_units:read');
  const departments = useQuery({
    queryKey: ['org-units'],
    queryFn: () => answerOf(client.GET('/org-units')),
    enabled: may,
  });
  if (!may) return null;
  return (
    <Select
      label={t('calendar.department')}
      placeholder={t('calendar.all')}
      searchable
      clearable
      data={(departments.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={(department) => onChange(department ?? undefined)}
    />
  );
}
