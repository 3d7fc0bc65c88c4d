import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { client, type Schemas } from './client.js';
import { useWrite } from './use-write.js';

type Decision = Schemas['DecideTimeOffRequest'];

/** The decision about a request for time off, with a note. */
export interface UndecidedRequest {
  readonly note: string;
  readonly setNote: (note: string) => void;
  /** Whether the request is read as it is shown, so that it can be decided. */
  readonly isReady: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly decide: (decision: Decision['decision']) => void;
}

/**
 * Decides a request for time off as it is shown: one that was changed since is not decided unseen.
 *
 * @param isAllowed whether the user may decide it
 */
export function useDecision(
  { id, updated_at: updatedAt }: Pick<Schemas['TimeOffResponse'], 'id' | 'updated_at'>,
  isAllowed: boolean,
  onDecided: (decision: Decision['decision']) => void,
): UndecidedRequest {
  const [note, setNote] = useState('');
  const shown = useQuery({
    queryKey: ['time-off', id, updatedAt],
    queryFn: () => answerOf(client.GET('/time-off/{timeOffId}', { params: { path: { timeOffId: id } } })),
    enabled: isAllowed,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const tag = shown.data?.data.updated_at === updatedAt ? shown.data.entityTag : null;
  const write = useWrite(
    (body: Decision, header) => {
      const params = { path: { timeOffId: id }, header: { ...header, 'If-Match': tag! } };
      return answerOf(client.POST('/time-off/{timeOffId}/decisions', { params, body }));
    },
    { onSuccess: (_, { decision }) => onDecided(decision) },
  );
  return {
    note,
    setNote,
    isReady: tag !== null,
    isPending: write.isPending,
    error: write.error,
    decide: (decision) => write.mutate({ decision, ...(note.trim() === '' ? {} : { note: note.trim() }) }),
  };
}
