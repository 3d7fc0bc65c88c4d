import { Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { issueOf } from '../../data/issue-of.js';

interface CorrectionReasonProperties {
  readonly value: string;
  readonly error: Error | null;
  readonly onChange: (reason: string) => void;
}

/** The reason for a correction or withdrawal; the history keeps it. */
export function CorrectionReason({ value, error, onChange }: CorrectionReasonProperties) {
  const { t } = useTranslation();
  return (
    <Textarea
      label={t('reason')}
      required
      autosize
      minRows={2}
      maxLength={1_000}
      value={value}
      error={issueOf(error, 'correction_reason')}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
