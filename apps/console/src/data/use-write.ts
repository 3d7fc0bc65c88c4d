import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * A write of a form. The same input keeps its idempotency key, so that pressing the button again after a failure can not write twice; other input
 * gets a new one. Everything that was read is read again afterwards.
 *
 * @param write sends the input with the key in `Idempotency-Key`
 */
export function useWrite<Input, Result>(
  write: (input: Input, headers: { readonly 'Idempotency-Key': string }) => Promise<Result>,
  options: { readonly onSuccess?: (result: Result, input: Input) => void } = {},
): UseMutationResult<Result, Error, Input> {
  const queryClient = useQueryClient();
  const sent = useRef({ text: '', key: '' });
  return useMutation<Result, Error, Input>({
    mutationFn: (input) => {
      const text = JSON.stringify(input);
      if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() };
      return write(input, { 'Idempotency-Key': sent.current.key });
    },
    onSuccess: async (result, input) => {
      sent.current = { text: '', key: '' };
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      options.onSuccess?.(result, input);
    },
  });
}
