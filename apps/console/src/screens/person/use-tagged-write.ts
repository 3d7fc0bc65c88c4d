import { useQueryClient } from '@tanstack/react-query';
import { type Answer, WorkforceError } from '@workforce-hr/client';
import { useState } from 'react';
import { mayHaveChanged, useWrite } from '../../data/use-write.js';

type Tagged<Resource> = Answer<{ readonly data: Resource }>;

/** The headers of a write that takes an entity tag. */
export interface TaggedHeaders {
  readonly 'Idempotency-Key': string;
  readonly 'If-Match': string;
}

/** What a form is filled from. It stays the same while one types, unless somebody else was faster. */
export interface Based<Resource> {
  readonly answer: Tagged<Resource>;
  /** What the form was filled from before somebody else was faster; null where nobody was. */
  readonly overtaken: Resource | null;
  /** Fills the form again where the error says that another user was faster (412), and throws it again. */
  readonly catchUp: (error: unknown) => Promise<never>;
}

/** Whether somebody else was faster. */
export const isPreconditionFailure = (error: unknown): boolean =>
  error instanceof WorkforceError && error.code === 'precondition_failed';

/**
 * What a form is filled from: an answer as it was when the form was opened, and once somebody else was faster
 * what is there now.
 */
export function useBased<Resource>(
  filledFrom: Tagged<Resource>,
  read: () => Promise<Tagged<Resource>>,
): Based<Resource> {
  const queryClient = useQueryClient();
  const [{ answer, overtaken }, setState] = useState<Pick<Based<Resource>, 'answer' | 'overtaken'>>({
    answer: filledFrom,
    overtaken: null,
  });
  return {
    answer,
    overtaken,
    catchUp: async (error) => {
      if (isPreconditionFailure(error)) {
        const current = await read();
        setState((former) => ({ answer: current, overtaken: former.overtaken ?? former.answer.data }));
        await queryClient.invalidateQueries({ predicate: mayHaveChanged });
      }
      throw error;
    },
  };
}

interface TaggedWrite<Input> {
  readonly send: (input: Input) => void;
  readonly isPending: boolean;
  /** What went wrong, a lost race apart: the form shows that itself. */
  readonly error: Error | null;
}

/**
 * A write with `If-Match` of what its form is filled from. Where another user was faster, nothing is written,
 * and the form is filled again.
 */
export function useTaggedWrite<Input, Resource, Result>(
  { answer, catchUp }: Based<Resource>,
  write: (input: Input, headers: TaggedHeaders) => Promise<Result>,
  onSuccess: (result: Result) => void,
): TaggedWrite<Input> {
  const mutation = useWrite(
    async ({ input, tag }: { readonly input: Input; readonly tag: string }, headers) =>
      write(input, { ...headers, 'If-Match': tag }).catch(catchUp),
    { onSuccess },
  );
  return {
    send: (input) => mutation.mutate({ input, tag: answer.entityTag ?? '' }),
    isPending: mutation.isPending,
    error: isPreconditionFailure(mutation.error) ? null : mutation.error,
  };
}
