import { useTranslation } from 'react-i18next';
import { useMay } from '../../data/session.js';
import { UnitSelect } from '../../ui/unit-select.js';

interface DepartmentProperties {
  readonly value: string | undefined;
  readonly onChange: (department: string | undefined) => void;
}

/** Chooses a department, with the units below it; nothing for users who may not read units. */
export function Department({ value, onChange }: DepartmentProperties) {
  const { t } = useTranslation('time-off');
  if (!useMay('org_units:read')) return null;
  return (
    <UnitSelect
      label={t('calendar.department')}
      placeholder={t('calendar.all')}
      isWithArchived
      clearable
      value={value ?? null}
      onChange={(department) => onChange(department ?? undefined)}
    />
  );
}
