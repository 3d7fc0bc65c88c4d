import { type QueryKey, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { WorkforceError } from '@workforce-hr/client';
import { useState } from 'react';
import { readFromConsole } from './session.js';
import { mayHaveChanged, useWrite } from './use-write.js';

/** A resource with the entity tag of its state; null for a new one. */
export interface Tagged<Resource> {
  readonly data: Resource;
  readonly entityTag: string | null;
}

/**
 * Reads a resource of a route of the console that is not an operation of the API, with the entity tag in its
 * data. Throws `WorkforceError`.
 */
export async function readTagged<Resource>(path: string): Promise<Tagged<Resource>> {
  const { entity_tag: tag, ...data } = await readFromConsole<Resource & { readonly entity_tag: string }>(path);
  return { data: data as Resource, entityTag: `"${tag}"` };
}

/** Reads the initial data of each form; later reads do not change a form that is open. */
export function useFormBase<Base>(queryKey: QueryKey, queryFn: () => Promise<Base>): UseQueryResult<Base> {
  return useQuery({
    queryKey: [...queryKey, 'form'],
    queryFn,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** The headers of a write with an entity tag. */
export interface TaggedHeaders {
  readonly 'Idempotency-Key': string;
  readonly 'If-Match': string;
}

/** The initial data of a form. It changes only after a conflict. */
export interface Based<Resource> {
  readonly answer: Tagged<Resource>;
  /** The form's initial data before a conflict; null without one. */
  readonly overtaken: Resource | null;
  /** On a conflict with another user (412), loads the current data into the form, and rethrows the error. */
  readonly catchUp: (error: unknown) => Promise<never>;
}

/** Whether another user was faster. */
export const isPreconditionFailure = (error: unknown): boolean =>
  error instanceof WorkforceError && error.code === 'precondition_failed';

/** The initial data of a form: a response at the time of opening, and after a conflict the current one. */
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
  /** The error, except a conflict, which the form shows itself. */
  readonly error: Error | null;
}

/**
 * A write with `If-Match` of the form's initial data. On a conflict, nothing is written, and the form gets
 * the current data.
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
