import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { sendToConsole } from '../../data/session.js';
import { BeliefChanges } from '../../ui/belief-changes.js';
import { type Based, isPreconditionFailure } from '../../data/use-tagged-write.js';

type Change = Pick<Schemas['TimelineChangeResponse'], 'effective_from' | 'effective_to' | 'field' | 'before' | 'after'>;

/** The delay after the last keystroke, in milliseconds. */
const PAUSE_AFTER_TYPING = 200;

/** The changes that a write of an employment would make, decided by the service without recording. */
export interface Preview {
  /** Whether it reflects the form's current content: otherwise submitting is disabled. */
  readonly isShown: boolean;
  readonly changes: readonly Change[];
  /** The refusal of the write; null if there is none, or another user was faster. */
  readonly error: Error | null;
}

/**
 * Requests the preview of a write while its form is filled in.
 *
 * @param body the body to send; null while the form is incomplete
 */
export function usePreview<Resource>(
  operation: 'changeEmployment' | 'recordEmploymentFact' | 'endPerson' | 'reactivatePerson',
  personId: string,
  { answer: { entityTag }, catchUp }: Based<Resource>,
  body: object | null,
): Preview {
  const requested = JSON.stringify({ operation, person_id: personId, if_match: entityTag ?? '', body });
  const [text] = useDebouncedValue(requested, PAUSE_AFTER_TYPING);
  const query = useQuery({
    queryKey: ['preview', text],
    queryFn: () =>
      sendToConsole<{ readonly changes: readonly Change[] }>(
        'POST',
        '/console/previews',
        JSON.parse(text) as object,
      ).catch(catchUp),
    enabled: body !== null && text === requested,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const isCurrent = body !== null && text === requested;
  return {
    isShown: isCurrent && query.isSuccess,
    changes: isCurrent ? (query.data?.changes ?? []) : [],
    error: isCurrent && !isPreconditionFailure(query.error) ? query.error : null,
  };
}

/** The beliefs before and after a write, day by day, before it is sent. */
export function BeforeAndAfter({ of: { isShown, changes } }: { readonly of: Preview }) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('preview.title')} aria-live="polite">
      <Text size="sm" fw={600}>
        {t('preview.title')}
      </Text>
      {!isShown && (
        <Text size="sm" c="dimmed">
          {t('preview.waiting')}
        </Text>
      )}
      {isShown && changes.length === 0 && <Text size="sm">{t('preview.unchanged')}</Text>}
      {isShown && changes.length > 0 && <BeliefChanges changes={changes} label={t('preview.title')} />}
    </section>
  );
}
