import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../data/client.js';
import { postToConsole } from '../../data/session.js';
import { BeliefChanges } from '../../ui/belief-changes.js';
import { type Based, isPreconditionFailure } from './use-tagged-write.js';

type Change = Pick<Schemas['TimelineChangeResponse'], 'effective_from' | 'effective_to' | 'field' | 'before' | 'after'>;

/** In milliseconds, after the last letter that was typed. */
const PAUSE_AFTER_TYPING = 200;

/** What a write of an employment would change, as the service decides it without recording anything. */
export interface Preview {
  /** Whether it is about what stands in the form now: before that, nothing may be sent. */
  readonly isShown: boolean;
  readonly changes: readonly Change[];
  /** What the write would be refused for; null where for nothing, or where somebody else was faster. */
  readonly error: Error | null;
}

/**
 * Asks what a write would change while its form is filled in.
 *
 * @param body what would be sent; null while there is nothing to send
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
      postToConsole<{ readonly changes: readonly Change[] }>('/console/previews', JSON.parse(text) as object).catch(
        catchUp,
      ),
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

/** What is believed before and after a write, day by day, before it is sent. */
export function BeforeAndAfter({ of: { isShown, changes } }: { readonly of: Preview }) {
  return (
    <section aria-label="Before and after" aria-live="polite">
      <Text size="sm" fw={600}>
        Before and after
      </Text>
      {!isShown && (
        <Text size="sm" c="dimmed">
          What it changes is shown here before it can be sent.
        </Text>
      )}
      {isShown && changes.length === 0 && (
        <Text size="sm">Nothing that is believed changes. The fact itself is recorded.</Text>
      )}
      {isShown && changes.length > 0 && <BeliefChanges changes={changes} label="Before and after" />}
    </section>
  );
}
