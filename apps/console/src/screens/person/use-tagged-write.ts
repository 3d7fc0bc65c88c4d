import { useQueryClient } from '@tanstack/react-query';
import { type Answer, WorkforceError } from '@workforce-hr/client';
import { useState } from 'react';
import { useWrite } from '../../data/use-write.js';

type Tagged<Resource> = Answer<{ readonly data: Resource }>;

/** The headers of a write that takes an entity tag. */
export interface TaggedHeaders {
  readonly 'Idempotency-Key': string;
  readonly 'If-Match': string;
}

interface TaggedWrite<Input, Resource> {
  readonly send: (input: Input) => void;
  readonly isPending: boolean;
  /** What went wrong, a lost race apart. */
  readonly error: Error | null;
  /** After a lost race: what the form was filled from, and what is there now, once it is read. */
  readonly lost: { readonly based: Resource; readonly current: Resource | undefined } | null;
  /** Sends the same input on top of what is there now. */
  readonly sendAnyway: () => void;
}

/**
 * A write with `If-Match` of the answer that a form was filled from. Where somebody else was faster (412), it reads what is there now, so that the form can
 * show what they changed and send again.
 */
export function useTaggedWrite<Input, Resource, Result>(
  based: Tagged<Resource>,
  read: () => Promise<Tagged<Resource>>,
  write: (input: Input, headers: TaggedHeaders) => Promise<Result>,
  onSuccess: (result: Result) => void,
): TaggedWrite<Input, Resource> {
  const queryClient = useQueryClient();
  const [current, setCurrent] = useState<Tagged<Resource> | null>(null);
  const [input, setInput] = useState<Input | null>(null);
  const mutation = useWrite(
    async ({ input: sent, tag }: { readonly input: Input; readonly tag: string }, headers) => {
      try {
        return await write(sent, { ...headers, 'If-Match': tag });
      } catch (error) {
        if (error instanceof WorkforceError && error.code === 'precondition_failed') {
          setCurrent(await read());
          await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
        }
        throw error;
      }
    },
    { onSuccess },
  );
  const isLost = mutation.error instanceof WorkforceError && mutation.error.code === 'precondition_failed';
  const send = (wanted: Input, tag: string | null): void => {
    setInput(wanted);
    mutation.mutate({ input: wanted, tag: tag ?? '' });
  };
  return {
    send: (wanted) => send(wanted, (current ?? based).entityTag),
    isPending: mutation.isPending,
    error: isLost ? null : mutation.error,
    lost: isLost ? { based: based.data, current: current?.data } : null,
    sendAnyway: () => input !== null && send(input, (current ?? based).entityTag),
  };
}
