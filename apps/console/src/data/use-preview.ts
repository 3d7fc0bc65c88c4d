import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { sendToConsole } from './session.js';
import { isPreconditionFailure } from './use-tagged-write.js';

/** The effect of a write, decided by the service without recording. */
export interface Preview<Effect> {
  /** Whether it reflects the form's current content: otherwise submitting is disabled. */
  readonly isShown: boolean;
  /** Undefined until it is shown. */
  readonly data: Effect | undefined;
  /** The refusal of the write; null if there is none, or another user was faster. */
  readonly error: Error | null;
}

/** The delay after the last keystroke, in milliseconds. */
const PAUSE_AFTER_TYPING = 200;

/**
 * Requests the preview of a write while its form is filled in.
 *
 * @param path a route of previews, see docs/reference/console-session.md
 * @param write the body of the preview; null while the form is incomplete
 * @param catchUp called with every failure, such as that of `useBased`; by default it stays a failure
 */
export function usePreview<Effect>(
  path: string,
  write: object | null,
  catchUp: (error: unknown) => Promise<never> = (error) => Promise.reject(error as Error),
): Preview<Effect> {
  const requested = JSON.stringify(write);
  const [text] = useDebouncedValue(requested, PAUSE_AFTER_TYPING);
  const isCurrent = write !== null && text === requested;
  const query = useQuery({
    queryKey: ['preview', path, text],
    queryFn: () => sendToConsole<Effect>('POST', path, JSON.parse(text) as object).catch(catchUp),
    enabled: isCurrent,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return {
    isShown: isCurrent && query.isSuccess,
    data: isCurrent ? query.data : undefined,
    error: isCurrent && !isPreconditionFailure(query.error) ? query.error : null,
  };
}
