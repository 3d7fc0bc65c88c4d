import { Button, Group, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { localDateTime } from '../data/days.js';

interface AsOfFieldsProperties {
  /** `YYYY-MM-DD`; undefined for today. */
  readonly day: string | undefined;
  /** ISO 8601; undefined for the current knowledge. */
  readonly moment: string | undefined;
  readonly onChange: (asOf: { readonly as_of: string | undefined; readonly known_at: string | undefined }) => void;
}

/** The day of the display, and the time of its knowledge. */
export function AsOfFields({ day, moment: instant, onChange }: AsOfFieldsProperties) {
  const { t } = useTranslation();
  return (
    <Group align="flex-end" gap="sm" role="group" aria-label={t('asOf')}>
      <TextInput
        label={t('asOf')}
        type="date"
        value={day ?? ''}
        onChange={({ target }) =>
          onChange({ as_of: target.value || undefined, known_at: target.value === '' ? undefined : instant })
        }
      />
      {day !== undefined && (
        <>
          <TextInput
            label={t('asKnownAt')}
            type="datetime-local"
            value={instant === undefined ? '' : localDateTime(instant)}
            onChange={({ target }) =>
              onChange({ as_of: day, known_at: target.value === '' ? undefined : new Date(target.value).toISOString() })
            }
          />
          <Button variant="default" onClick={() => onChange({ as_of: undefined, known_at: undefined })}>
            {t('today')}
          </Button>
        </>
      )}
    </Group>
  );
}
