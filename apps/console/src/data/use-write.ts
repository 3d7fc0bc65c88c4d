import { type Query, useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { WorkforceError } from '@workforce-hr/client';
import { useEffect, useRef } from 'react';
import { cancelWrite } from './connection.js';

/** Queries that a write does not affect: the signed-in user, and previews of forms. */
const UNCHANGED: ReadonlySet<unknown> = new Set(['session', 'preview']);

/** Whether a write may have changed the data of a query. */
export const mayHaveChanged = ({ queryKey }: Pick<Query, 'queryKey'>): boolean => !UNCHANGED.has(queryKey[0]);

/**
 * A write of a form. The same input keeps its idempotency key, so that pressing the button again after a
 * failure can not write twice; other input gets a new one. Nothing is sent any more once the form is gone.
 * Everything that was read is read again afterwards, also where it is not known what became of the write.
 *
 * @param write sends the input with the key in `Idempotency-Key`
 */
export function useWrite<Input, Result>(
  write: (input: Input, headers: { readonly 'Idempotency-Key': string }) => Promise<Result>,
  options: { readonly onSuccess?: (result: Result, input: Input) => void } = {},
): UseMutationResult<Result, Error, Input> {
  const queryClient = useQueryClient();
  const sent = useRef({ text: '', key: '' });
  const running = useRef<string | null>(null);
  useEffect(
    () => () => {
      if (running.current !== null) cancelWrite(running.current);
    },
    [],
  );
  return useMutation<Result, Error, Input>({
    mutationFn: async (input) => {
      const text = JSON.stringify(input);
      if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() };
      const { key } = sent.current;
      running.current = key;
      try {
        return await write(input, { 'Idempotency-Key': key });
      } finally {
        running.current = null;
      }
    },
    onSuccess: async (result, input) => {
      sent.current = { text: '', key: '' };
      await queryClient.invalidateQueries({ predicate: mayHaveChanged });
      options.onSuccess?.(result, input);
    },
    onError: async (error) => {
      if (!(error instanceof WorkforceError)) await queryClient.invalidateQueries({ predicate: mayHaveChanged });
    },
  });
}
