import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { type Preview, usePreview } from '../../data/use-preview.js';
import { BeliefChanges } from '../../ui/belief-changes.js';
import { TwoTimes } from './two-times.js';
import type { Based } from '../../data/use-tagged-write.js';

type Change = Pick<Schemas['TimelineChangeResponse'], 'effective_from' | 'effective_to' | 'field' | 'before' | 'after'>;

/** The changes that a write of an employment would make, decided by the service without recording. */
export interface ChangesPreview extends Omit<Preview<unknown>, 'data'> {
  readonly changes: readonly Change[];
}

/**
 * Requests the preview of a write while its form is filled in.
 *
 * @param body the body to send; null while the form is incomplete
 */
export function useChangesPreview<Resource>(
  operation: 'changeEmployment' | 'recordEmploymentFact' | 'endPerson' | 'reactivatePerson',
  personId: string,
  { answer: { entityTag }, catchUp }: Based<Resource>,
  body: object | null,
): ChangesPreview {
  const write = body === null ? null : { operation, person_id: personId, if_match: entityTag ?? '', body };
  const { data, ...preview } = usePreview<{ readonly changes: readonly Change[] }>('/console/previews', write, catchUp);
  return { ...preview, changes: data?.changes ?? [] };
}

/** The beliefs before and after a write, day by day, before it is sent. */
export function BeforeAndAfter({ of: { isShown, changes } }: { readonly of: ChangesPreview }) {
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
      {isShown && changes.length > 0 && (
        <>
          <TwoTimes changes={changes} />
          <BeliefChanges changes={changes} label={t('preview.title')} />
        </>
      )}
    </section>
  );
}
